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

    /// <summary>What the call ends with because the socket was closed: a result, or the exception returned.</summary>
    Exception? Close(out TResult result);
}

/// <summary>
/// An awaited call that found the socket not ready. States: queued, then completed or cancelled, each under the queue's
/// lock and exactly once; then signalled outside the lock, because the continuation may run inside the signal.
/// </summary>
internal abstract class PendingCall
{
    /// <summary>The next one in the queue or in the list of free ones. Under the lock of that.</summary>
    public PendingCall? Next { get; set; }

    public abstract bool IsSend { get; }

    /// <summary>Tries the call without waiting; true if it ended. Under the lock, inside the socket's gate.</summary>
    public abstract bool TryRun();

    /// <summary>Ends it because the socket was closed. Under the lock.</summary>
    public abstract void SetClosed();

    /// <summary>Ends it with an exception. Under the lock.</summary>
    public abstract void SetFault(Exception fault);

    /// <summary>Lets the awaiting method go on. Outside the lock.</summary>
    public abstract void Signal();
}

/// <summary>
/// A reusable source behind a <see cref="ValueTask{TResult}"/>. It does not carry the execution context: an awaiting
/// method restores its own anyway, and capturing costs an allocation when the context is not the default.
/// </summary>
internal sealed class PendingCall<TAttempt, TResult>(PendingCalls owner, bool inlineContinuations)
    : PendingCall, IValueTaskSource<TResult>
    where TAttempt : struct, IAttempt<TResult>
{
    private ManualResetValueTaskSourceCore<TResult> _core = new()
    {
        RunContinuationsAsynchronously = !inlineContinuations,
    };

    private TAttempt _attempt;
    private TResult? _result;
    private Exception? _fault;
    private CancellationTokenRegistration _cancellation;

    /// <inheritdoc/>
    public override bool IsSend => TAttempt.IsSend;

    public ValueTask<TResult> StartAsync(in TAttempt attempt, CancellationToken token)
    {
        _attempt = attempt;

        // Read before the start: the call may complete at once, be awaited nowhere yet, and must keep this version.
        ValueTask<TResult> task = new(this, _core.Version);
        owner.Add(this);
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
        return ended;
    }

    /// <inheritdoc/>
    public override void SetClosed()
    {
        _fault = _attempt.Close(out TResult result);
        _result = result;
    }

    /// <inheritdoc/>
    public override void SetFault(Exception fault) => _fault = fault;

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
            _core.Reset();
            _attempt = default;
            _result = default;
            _fault = null;
            owner.Return(this);
        }
    }

    private void Cancel(CancellationToken token)
    {
        if (owner.TryEnd(this, new OperationCanceledException(token))) Signal();
    }
}
