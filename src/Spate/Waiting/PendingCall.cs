using System.Diagnostics;
using System.Threading.Tasks.Sources;

namespace Spate.Waiting;

/// <summary>How an attempt went.</summary>
internal enum AttemptStatus
{
    Ended,

    /// <summary>The call waits for an event of the socket.</summary>
    Waits,

    /// <summary>The call failed although the socket is ready, so it waits for a moment instead of an event.</summary>
    RetriesLater,
}

/// <summary>An awaitable call: its arguments, how to try it, and how to end it when the socket is closed.</summary>
internal interface IAttempt<TResult>
{
    /// <summary>Whether the call sends; otherwise it receives.</summary>
    static abstract bool IsSend { get; }

    /// <summary>
    /// Tries the call without waiting, inside the socket's gate and under the lock of the socket's waiting calls.
    /// It may still have to wait if the socket is closed, because the close ends every waiting call.
    /// </summary>
    AttemptStatus TryRun(out TResult result);

    /// <summary>
    /// Ends the call because the socket was closed. The call then has the result, or throws the returned exception.
    /// </summary>
    Exception? Close(out TResult result);

    /// <summary>
    /// Releases the batch that the call uses while it waits. Called once, after the end of the call is decided and
    /// before its continuation can run. The method has no default implementation, because a call of a default
    /// implementation would box the struct.
    /// </summary>
    void End();

    /// <summary>The result of the call if its time limit has passed.</summary>
    TResult TimeOut();

    /// <summary>The exception of the call if its token was cancelled.</summary>
    OperationCanceledException Cancel(CancellationToken token);
}

/// <summary>
/// An awaited call that found the socket not ready and waits. It is queued once and ended once, both under the lock of
/// <see cref="PendingCalls"/>. Then <see cref="Signal"/> is called outside the lock, because <see cref="Signal"/> may
/// run the continuation.
/// </summary>
internal abstract class PendingCall
{
    /// <summary>
    /// The next call in the queue of waiting calls, or in the list of free calls. Accessed under the lock of that queue
    /// or list.
    /// </summary>
    public PendingCall? Next { get; set; }

    public abstract bool IsSend { get; }

    /// <summary>Whether the call has a time limit that has passed. Read under the lock.</summary>
    public abstract bool IsOverdue { get; }

    /// <summary>
    /// Tries the call without waiting. Called under the lock, inside the socket's gate.
    /// </summary>
    public abstract AttemptStatus TryRun();

    /// <summary>Ends the call because the socket was closed. Called under the lock.</summary>
    public abstract void SetClosed();

    /// <summary>Ends the call because its time limit has passed. Called under the lock.</summary>
    public abstract void SetTimedOut();

    /// <summary>Ends the call because its token was cancelled. Called under the lock.</summary>
    public abstract void SetCanceled(CancellationToken token);

    /// <summary>Ends the call with an exception. Called under the lock.</summary>
    public abstract void SetFault(Exception fault);

    /// <summary>Lets the awaiting method continue. Called outside the lock.</summary>
    public abstract void Signal();
}

/// <summary>
/// Waiting calls of one direction, first in, first out. Used under the lock of <see cref="PendingCalls"/>.
/// </summary>
internal struct PendingQueue
{
    private PendingCall? _last;

    public PendingCall? First { get; private set; }

    public void Add(PendingCall call)
    {
        call.Next = null;
        if (_last is null) First = call;
        else _last.Next = call;
        _last = call;
    }

    public bool Remove(PendingCall call)
    {
        PendingCall? previous = null;
        for (PendingCall? current = First; current is not null; previous = current, current = current.Next)
        {
            if (!ReferenceEquals(current, call)) continue;
            if (previous is null) First = current.Next;
            else previous.Next = current.Next;
            if (ReferenceEquals(_last, current)) _last = previous;
            current.Next = null;
            Debug.Assert((First is null) == (_last is null));
            return true;
        }

        return false;
    }
}

/// <summary>
/// A reusable source of a <see cref="ValueTask{TResult}"/>. It does not capture the execution context: an awaiting
/// method restores its own context anyway, and a capture allocates if the context is not the default.
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

    // Created by the first use with a time limit and kept for later uses, so that their limits cost no allocation.
    private ITimer? _timer;
    private long _endsAt = NoLimit;

    /// <inheritdoc/>
    public override bool IsSend => TAttempt.IsSend;

    /// <inheritdoc/>
    public override bool IsOverdue =>
        Volatile.Read(ref _endsAt) is not NoLimit and var endsAt && RemainingUntil(endsAt) <= TimeSpan.Zero;

    /// <param name="attempt">The call.</param>
    /// <param name="last">How the caller's own try of the call went.</param>
    /// <param name="timeoutMilliseconds">The time limit of the call; -1 means no limit.</param>
    /// <param name="token">Cancels the call while it waits.</param>
    public ValueTask<TResult> StartAsync(
        in TAttempt attempt, AttemptStatus last, int timeoutMilliseconds, CancellationToken token)
    {
        Debug.Assert(_fault is null && _endsAt == NoLimit, "A reused call has nothing of its last use.");
        _attempt = attempt;
        try
        {
            if (timeoutMilliseconds >= 0) SetLimit(timeoutMilliseconds);
            owner.Prepare();
        }
        catch
        {
            // The call does not begin to wait, so no other code would release its batch.
            _attempt.End();
            throw;
        }

        // Made before Add, because the call may complete inside Add: the task needs the version of this use.
        ValueTask<TResult> task = new(this, _core.Version);
        owner.Add(this, last);
        if (timeoutMilliseconds >= 0) _timer!.Change(TimeSpan.FromMilliseconds(timeoutMilliseconds), Never);
        if (token.CanBeCanceled)
        {
            _cancellation = token.UnsafeRegister(
                static (state, cancelled) => ((PendingCall<TAttempt, TResult>)state!).Cancel(cancelled), this);
        }

        return task;
    }

    /// <inheritdoc/>
    public override AttemptStatus TryRun()
    {
        AttemptStatus status = _attempt.TryRun(out TResult result);
        _result = result;
        if (status == AttemptStatus.Ended) _attempt.End();
        return status;
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
        _result = _attempt.TimeOut();
        _attempt.End();
    }

    /// <inheritdoc/>
    public override void SetCanceled(CancellationToken token) => SetFault(_attempt.Cancel(token));

    /// <inheritdoc/>
    public override void SetFault(Exception fault)
    {
        Debug.Assert(_fault is null, "A call ends once.");
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
        // Checked before the object is reset and put into the pool: a call that is still queued must not be reused for
        // another call.
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
            // After Dispose, no cancellation can reach this object any more, so the object may be reused.
            _cancellation.Dispose();
            EndLimit();
            _core.Reset();
            _attempt = default;
            _result = default;
            _fault = null;
            owner.Return(this);
        }
    }

    // Sets the time limit before the call waits. If the timer still fires for an earlier use of this object, OnTimer
    // compares the time with the limit of this use.
    private void SetLimit(int milliseconds)
    {
        TimeProvider time = owner.Time;
        Volatile.Write(ref _endsAt, time.GetTimestamp() + (milliseconds * time.TimestampFrequency / 1000));
        if (_timer is not null) return;

        // The timer serves every use of the object, so it must not capture the execution context of the use that
        // creates it.
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

    // The timer may fire before the time limit, or late, for an earlier use of this object that has already ended. So
    // this method checks the limit of the current use.
    private void OnTimer()
    {
        while (true)
        {
            // Read once: another use may begin at any time, and its limit must not be mistaken for the limit checked
            // here.
            long endsAt = Volatile.Read(ref _endsAt);
            if (endsAt == NoLimit) return;
            TimeSpan remaining = RemainingUntil(endsAt);
            if (remaining <= TimeSpan.Zero)
            {
                if (owner.TryTimeOut(this)) Signal();
                return;
            }

            // If another use began meanwhile, this Change may have replaced the time that the other use had set. The
            // loop then sets that time again.
            _timer!.Change(remaining + OneMillisecond, Never);
            if (Volatile.Read(ref _endsAt) == endsAt) return;
        }
    }

    private void Cancel(CancellationToken token)
    {
        if (owner.TryCancel(this, token)) Signal();
    }
}
