using Spate.Interop.Linux;

namespace Spate.Backends.Readiness;

/// <summary>One socket's place in the shared epoll loop.</summary>
internal sealed class EpollReadiness : SocketReadiness
{
    private readonly Lock _lock = new();
    private readonly Action<ReadyEvents> _ready;
    private readonly int _descriptor;
    private readonly ulong _id;
    private ReadyEvents _requested;
    private bool _disposed;

    public EpollReadiness(int descriptor, Action<ReadyEvents> ready)
    {
        _descriptor = descriptor;
        _ready = ready;
        _id = EpollLoop.Shared.Register(this, descriptor);
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
            EpollLoop.Shared.Arm(_id, _descriptor, wanted);
        }
    }

    /// <inheritdoc/>
    public override void RequestLater(ReadyEvents events) => EpollLoop.Shared.CallLater(this);

    /// <inheritdoc/>
    public override void Dispose()
    {
        lock (_lock)
        {
            if (_disposed) return;
            _disposed = true;
            EpollLoop.Shared.Unregister(_id, _descriptor);
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
