using Spate.Backends.Readiness;

namespace Spate.Backends.Uring;

/// <summary>
/// Readiness of a socket whose receives go through a ring: the ring's for reading, its own for writing.
/// </summary>
internal sealed class UringReadiness(
    int ringDescriptor, int socketDescriptor, Func<bool> tryPrepareToWait, Action<ReadyEvents> ready) : SocketReadiness
{
    private readonly EpollReadiness _ring = new(ringDescriptor, ready);
    private readonly EpollReadiness _socket = new(socketDescriptor, ready);

    /// <inheritdoc/>
    public override void Request(ReadyEvents events)
    {
        if ((events & ReadyEvents.Readable) != ReadyEvents.None)
        {
            if (tryPrepareToWait()) _ring.Request(ReadyEvents.Readable);
            else RequestLater(ReadyEvents.Readable);
        }

        if ((events & ReadyEvents.Writable) != ReadyEvents.None) _socket.Request(ReadyEvents.Writable);
    }

    /// <inheritdoc/>
    public override void RequestLater(ReadyEvents events) => _socket.RequestLater(events);

    /// <inheritdoc/>
    public override void Dispose()
    {
        _ring.Dispose();
        _socket.Dispose();
    }
}
