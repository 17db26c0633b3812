using System.Threading.Tasks.Sources;

namespace Spate.Waiting;

/// <summary>
/// A reusable source behind a <see cref="ValueTask{TResult}"/>. The execution context is not carried by it: an awaiting
/// method restores its own anyway, and capturing costs an allocation when the context is not the default.
/// </summary>
internal abstract class PendingOperation<TResult>(PendingOperations owner, bool inlineContinuations)
    : PendingOperation(owner), IValueTaskSource<TResult>
{
    private ManualResetValueTaskSourceCore<TResult> _core = new()
    {
        RunContinuationsAsynchronously = !inlineContinuations,
    };

    private TResult? _result;
    private Exception? _fault;

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    /// <inheritdoc/>
    public void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags & ~ValueTaskSourceOnCompletedFlags.FlowExecutionContext);

    /// <inheritdoc/>
    public TResult GetResult(short token)
    {
        // Before anything is given back: a call that is still queued must not be handed to somebody else.
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
            EndCancellation();
            _core.Reset();
            _result = default;
            _fault = null;
            GiveBack();
        }
    }

    /// <inheritdoc/>
    public override void Signal()
    {
        if (_fault is not null) _core.SetException(_fault);
        else _core.SetResult(_result!);
    }

    /// <inheritdoc/>
    public override void SetCancelled(CancellationToken token) => _fault = new OperationCanceledException(token);

    /// <inheritdoc/>
    public override void SetFault(Exception fault) => _fault = fault;

    protected ValueTask<TResult> StartAsync(CancellationToken token)
    {
        // Read before the start: it may complete at once, be awaited nowhere yet, and must keep this version.
        ValueTask<TResult> task = new(this, _core.Version);
        Start(token);
        return task;
    }

    protected void SetResult(TResult result) => _result = result;

    /// <summary>Forgets the call's arguments and returns the object to its pool.</summary>
    protected abstract void GiveBack();
}
