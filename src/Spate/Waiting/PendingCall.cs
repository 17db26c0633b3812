using System.Threading.Tasks.Sources;

namespace Spate.Waiting;

/// <summary>An awaitable call: its arguments, how it is tried, and how it ends when the socket closes.</summary>
internal interface IAttempt<TResult>
{
    /// <summary>Whether the call waits to send, otherwise to receive.</summary>
    static abstract bool IsSend { get; }

    /// <summary>
    /// Tries the call without waiting, inside the socket's gate and under the lock of its waiting calls. False: the
    /// call must wait still. A call that finds the socket closed may say so too, since closing ends all that wait.
    /// </summary>
    bool TryRun(out TResult result);

    /// <summary>Ends the call because the socket was closed: with a result, or with the returned exception.</summary>
    Exception? Close(out TResult result);

    /// <summary>
    /// Releases the batch that the call has while it waits. Called once, when the end of the call is decided and before
    /// its continuation can run. No default implementation: calling one would box the struct.
    /// </summary>
    void End();

    /// <summary>The result of the call when its time is over; only for calls that have a time limit.</summary>
    static virtual TResult TimedOut() => throw new NotSupportedException("This call has no time limit.");
}

/// <summary>
/// An awaited call that found the socket not ready. States: queued, then completed or cancelled, each under the queue's
/// lock and exactly once; then signalled outside the lock, because the continuation may run inside the signal.
/// </summary>
internal abstract class PendingCall
{
    /// <summary>
    /// The next call in the queue or in the list of free calls. Under the lock of that queue or list.
    /// </summary>
    public PendingCall? Next { get; set; }

    public abstract bool IsSend { get; }

    /// <summary>Whether the call has a time limit that has passed. Under the lock.</summary>
    public abstract bool IsOverdue { get; }

    /// <summary>Tries the call without waiting; true if it ended. Under the lock, inside the socket's gate.</summary>
    public abstract bool TryRun();

    /// <summary>Ends it because the socket was closed. Under the lock.</summary>
    public abstract void SetClosed();

    /// <summary>Ends it because its time is over. Under the lock.</summary>
    public abstract void SetTimedOut();

    /// <summary>Ends it with an exception. Under the lock.</summary>
    public abstract void SetFault(Exception fault);

    /// <summary>Lets the awaiting method go on. Outside the lock.</summary>
    public abstract void Signal();
}

/// <summary>
/// A reusable source of a <see cref="ValueTask{TResult}"/>. It does not carry the execution context: an awaiting method
/// restores its own anyway, and capturing costs an allocation when the context is not the default.
/// </summary>
internal sealed class PendingCall<TAttempt, TResult>(PendingCalls owner, bool inlineContinuations)
    : PendingCall, IValueTaskSource<TResult>
    where TAttempt : struct, IAttempt<TResult>
{
    private const long NoLimit = long.MaxValue;

    private static readonly TimeSpan Never = Timeout.InfiniteTimeSpan;
    private static readonly TimeSpan OneMillisecond = TimeSpan.FromMilliseconds(1);

    private ManualResetValueTaskSourceCore<TResult> _core = new()
    {
        RunContinuationsAsynchronously = !inlineContinuations,
    };

    private TAttempt _attempt;
    private TResult? _result;
    private Exception? _fault;
    private CancellationTokenRegistration _cancellation;

    // Made by the first use with a time limit and kept for the next ones, so that a limit costs no allocation.
    private ITimer? _timer;
    private long _endsAt = NoLimit;

    /// <inheritdoc/>
    public override bool IsSend => TAttempt.IsSend;

    /// <inheritdoc/>
    public override bool IsOverdue =>
        Volatile.Read(ref _endsAt) is not NoLimit and var endsAt && RemainingUntil(endsAt) <= TimeSpan.Zero;

    /// <param name="attempt">The call.</param>
    /// <param name="timeoutMilliseconds">Its time limit; -1 for none.</param>
    /// <param name="token">Cancels the call while it waits.</param>
    public ValueTask<TResult> StartAsync(in TAttempt attempt, int timeoutMilliseconds, CancellationToken token)
    {
        _attempt = attempt;
        try
        {
            if (timeoutMilliseconds >= 0) SetLimit(timeoutMilliseconds);
            owner.Prepare();
        }
        catch
        {
            // The call does not begin to wait, so nothing else ends it.
            _attempt.End();
            throw;
        }

        // Read before the start: the call may complete at once, be awaited nowhere yet, and must keep this version.
        ValueTask<TResult> task = new(this, _core.Version);
        owner.Add(this);
        if (timeoutMilliseconds >= 0) _timer!.Change(TimeSpan.FromMilliseconds(timeoutMilliseconds), Never);
        if (token.CanBeCanceled)
        {
            _cancellation = token.UnsafeRegister(
                static (state, cancelled) => ((PendingCall<TAttempt, TResult>)state!).Cancel(cancelled), this);
        }

        return task;
    }

    /// <inheritdoc/>
    public override bool TryRun()
    {
        bool ended = _attempt.TryRun(out TResult result);
        _result = result;
        if (ended) _attempt.End();
        return ended;
    }

    /// <inheritdoc/>
    public override void SetClosed()
    {
        _fault = _attempt.Close(out TResult result);
        _result = result;
        _attempt.End();
    }

    /// <inheritdoc/>
    public override void SetTimedOut()
    {
        _result = TAttempt.TimedOut();
        _attempt.End();
    }

    /// <inheritdoc/>
    public override void SetFault(Exception fault)
    {
        _fault = fault;
        _attempt.End();
    }

    /// <inheritdoc/>
    public override void Signal()
    {
        if (_fault is not null) _core.SetException(_fault);
        else _core.SetResult(_result!);
    }

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    /// <inheritdoc/>
    public void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags & ~ValueTaskSourceOnCompletedFlags.FlowExecutionContext);

    /// <inheritdoc/>
    public TResult GetResult(short token)
    {
        // Before anything is given back: a call that is still queued must not be reused for another one.
        if (_core.GetStatus(token) == ValueTaskSourceStatus.Pending)
        {
            throw new InvalidOperationException(
                "The call has not ended: await its ValueTask, or make a Task of it to wait for.");
        }

        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            // After this no cancellation reaches the object any more, so it may be reused.
            _cancellation.Dispose();
            EndLimit();
            _core.Reset();
            _attempt = default;
            _result = default;
            _fault = null;
            owner.Return(this);
        }
    }

    // Before the call waits: a timer that still fires for an earlier use compares with this one's end.
    private void SetLimit(int milliseconds)
    {
        TimeProvider time = owner.Time;
        Volatile.Write(ref _endsAt, time.GetTimestamp() + (milliseconds * time.TimestampFrequency / 1000));
        if (_timer is not null) return;

        // The timer serves every use of the object, not the one that happened to make it.
        using AsyncFlowControl flow = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
        _timer = time.CreateTimer(
            static self => ((PendingCall<TAttempt, TResult>)self!).OnTimer(), this, Never, Never);
    }

    private void EndLimit()
    {
        if (_endsAt == NoLimit) return;
        Volatile.Write(ref _endsAt, NoLimit);
        _timer!.Change(Never, Never);
    }

    private TimeSpan RemainingUntil(long endsAt) => owner.Time.GetElapsedTime(owner.Time.GetTimestamp(), endsAt);

    // May come early, or late for a use that has ended since: the end of the present use decides.
    private void OnTimer()
    {
        while (true)
        {
            // Read once: another use may begin at any time, and must not pass for the one whose time was computed.
            long endsAt = Volatile.Read(ref _endsAt);
            if (endsAt == NoLimit) return;
            TimeSpan remaining = RemainingUntil(endsAt);
            if (remaining <= TimeSpan.Zero)
            {
                if (owner.TryTimeOut(this)) Signal();
                return;
            }

            // Not over the time of a use that began meanwhile.
            _timer!.Change(remaining + OneMillisecond, Never);
            if (Volatile.Read(ref _endsAt) == endsAt) return;
        }
    }

    private void Cancel(CancellationToken token)
    {
        if (owner.TryEnd(this, new OperationCanceledException(token))) Signal();
    }
}
