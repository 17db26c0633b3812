namespace Spate.Waiting;

/// <summary>
/// An awaited call that found the socket not ready. States: queued -> completed or cancelled, each under the queue's
/// lock and exactly once; then signalled outside the lock, because the continuation may run inside the signal.
/// </summary>
internal abstract class PendingOperation
{
    private readonly PendingOperations _owner;
    private CancellationTokenRegistration _registration;

    protected PendingOperation(PendingOperations owner) => _owner = owner;

    /// <summary>Whether it waits to write, otherwise to read.</summary>
    public abstract bool IsWrite { get; }

    internal PendingOperation? Next { get; set; }

    /// <summary>
    /// Tries the call without waiting; true if it ended. Under the queue's lock and inside the socket's gate.
    /// </summary>
    public abstract bool TryRun();

    /// <summary>Ends it because the socket was closed. Under the queue's lock.</summary>
    public abstract void SetClosed();

    /// <summary>Ends it because it was cancelled. Under the queue's lock.</summary>
    public abstract void SetCancelled(CancellationToken token);

    /// <summary>Ends it with an exception. Under the queue's lock.</summary>
    public abstract void SetFault(Exception fault);

    /// <summary>Lets whoever awaits go on. Outside the lock.</summary>
    public abstract void Signal();

    protected void Start(CancellationToken token)
    {
        _owner.Add(this);
        if (token.CanBeCanceled)
        {
            _registration = token.UnsafeRegister(
                static (state, cancelled) =>
                {
                    var operation = (PendingOperation)state!;
                    operation._owner.Cancel(operation, cancelled);
                },
                this);
        }
    }

    /// <summary>After this no cancellation reaches the object any more, so it may be used again.</summary>
    protected void EndCancellation() => _registration.Dispose();
}
