using Spate.Interop.Linux;

namespace Spate.Waiting;

/// <summary>One socket's place in the shared epoll loop.</summary>
internal sealed class EpollReadiness : SocketReadiness
{
    private readonly Lock _lock = new();
    private readonly Action<ReadyEvents> _ready;
    private readonly int _descriptor;
    private readonly EpollLoop _loop;
    private readonly EpollRegistration _registration;
    private ReadyEvents _requested;
    private bool _disposed;

    public EpollReadiness(int descriptor, Action<ReadyEvents> ready)
    {
        _descriptor = descriptor;
        _ready = ready;
        _loop = EpollLoop.Shared;
        _registration = _loop.Register(this, descriptor);
    }

    /// <inheritdoc/>
    public override void Request(ReadyEvents events)
    {
        lock (_lock)
        {
            if (_disposed) return;
            _requested |= events;
            uint wanted = ((_requested & ReadyEvents.Readable) != ReadyEvents.None ? Epoll.EPOLLIN : 0)
                | ((_requested & ReadyEvents.Writable) != ReadyEvents.None ? Epoll.EPOLLOUT : 0);
            _loop.Arm(_registration.Id, _descriptor, wanted);
        }
    }

    /// <inheritdoc/>
    public override void RequestLater(ReadyEvents events) => _loop.CallLater(this);

    /// <inheritdoc/>
    public override void Hold(bool isHeld) => _registration.Hold(isHeld ? this : null);

    /// <inheritdoc/>
    public override void Dispose()
    {
        lock (_lock)
        {
            if (_disposed) return;
            _disposed = true;
            _loop.Unregister(_registration.Id, _descriptor);
        }
    }

    /// <summary>
    /// Called by the loop's thread. One shot: what was requested but did not happen is asked for again by the
    /// callback.
    /// </summary>
    internal void OnReady(ReadyEvents events)
    {
        lock (_lock)
        {
            if (_disposed) return;
            _requested = ReadyEvents.None;
        }

        _ready(events);
    }
}
