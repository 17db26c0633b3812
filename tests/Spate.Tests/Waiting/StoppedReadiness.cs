using Spate.Waiting;

namespace Spate.Tests.Waiting;

/// <summary>
/// Stops the readiness thread where it is about to ask for the next event of a socket. By then it has looked at all
/// waiting calls, and the socket was open.
/// </summary>
internal sealed class StoppedReadiness(SocketReadiness inner) : SocketReadiness
{
    private readonly int _starter = Environment.CurrentManagedThreadId;

    /// <summary>Set once the thread stands there.</summary>
    public ManualResetEventSlim Stopped { get; } = new();

    /// <summary>Lets it go on.</summary>
    public ManualResetEventSlim GoOn { get; } = new();

    /// <summary>What came of it.</summary>
    public TaskCompletionSource<Exception?> Asked { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <inheritdoc/>
    public override void Request(ReadyEvents events)
    {
        if (Environment.CurrentManagedThreadId == _starter)
        {
            inner.Request(events);
            return;
        }

        Stopped.Set();
        GoOn.Wait();
        Asked.TrySetResult(Record.Exception(() => inner.Request(events)));
    }

    /// <inheritdoc/>
    public override void RequestLater(ReadyEvents events) => inner.RequestLater(events);

    /// <inheritdoc/>
    public override void KeepAlive(bool hasWaiting) => inner.KeepAlive(hasWaiting);

    /// <inheritdoc/>
    public override void Dispose() => inner.Dispose();
}
