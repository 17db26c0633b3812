using Spate.Waiting;

namespace Spate.Sockets.Uring;

/// <summary>
/// Readiness of a socket whose receives go through a ring: the ring's for reading, its own for writing. A request looks
/// at the ring's memory and comes from threads that are in no call of the socket, so the closing waits for it here.
/// </summary>
internal sealed class UringReadiness : SocketReadiness
{
    private readonly Lock _lock = new();
    private readonly Func<bool> _tryPrepareToWait;
    private readonly EpollReadiness _ring;
    private readonly EpollReadiness _socket;
    private bool _disposed;

    public UringReadiness(
        int ringDescriptor, int socketDescriptor, Func<bool> tryPrepareToWait, Action<ReadyEvents> ready)
    {
        _tryPrepareToWait = tryPrepareToWait;
        _ring = new EpollReadiness(ringDescriptor, ready);
        try
        {
            _socket = new EpollReadiness(socketDescriptor, ready);
        }
        catch
        {
            _ring.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public override void Request(ReadyEvents events)
    {
        lock (_lock)
        {
            if (_disposed) return;
            if ((events & ReadyEvents.Readable) != ReadyEvents.None)
            {
                if (_tryPrepareToWait()) _ring.Request(ReadyEvents.Readable);
                else RequestLater(ReadyEvents.Readable);
            }

            if ((events & ReadyEvents.Writable) != ReadyEvents.None) _socket.Request(ReadyEvents.Writable);
        }
    }

    /// <inheritdoc/>
    public override void RequestLater(ReadyEvents events) => _socket.RequestLater(events);

    // One leads to the other, by way of whom it calls.
    /// <inheritdoc/>
    public override void Hold(bool isHeld) => _ring.Hold(isHeld);

    /// <inheritdoc/>
    public override void Dispose()
    {
        lock (_lock)
        {
            _disposed = true;
            _ring.Dispose();
            _socket.Dispose();
        }
    }
}
