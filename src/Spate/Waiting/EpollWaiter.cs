using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// Sleeping in epoll, on the sockets and an eventfd. Several threads may have the same socket in a set of their own:
/// EPOLLEXCLUSIVE (Linux 4.5) then wakes one of them per datagram, where poll would wake all. A set holds the sockets
/// only from the first sleep on them until the thread parks: the kernel goes through every set that holds a socket for
/// every datagram that arrives there, also through those of parked threads.
/// </summary>
internal sealed unsafe class EpollWaiter : ThreadWaiter
{
    private readonly EpollDescriptor _epoll = new();
    private readonly WakeDescriptor? _wake;
    private readonly (int Descriptor, bool ByEdge)[] _sockets;
    private bool _holdsSockets;

    public EpollWaiter(ReadOnlySpan<(int Descriptor, bool ByEdge)> sockets)
    {
        _sockets = sockets.ToArray();
        try
        {
            _wake = new WakeDescriptor();

            // Edge-triggered, so that it need not be read after each wake-up; its 64-bit count does not overflow.
            _epoll.Control(Epoll.EPOLL_CTL_ADD, _wake.Number, Epoll.EPOLLIN | Epoll.EPOLLET, data: 0);
            HoldSockets();
        }
        catch
        {
            Close();
            throw;
        }
    }

    /// <inheritdoc/>
    protected override void Close()
    {
        _wake?.Dispose();
        _epoll.Dispose();
    }

    /// <inheritdoc/>
    protected override void Wait(int timeoutMilliseconds, bool forSockets)
    {
        if (!forSockets)
        {
            // Signals of earlier sleeps are taken back with it, so at most one wait ends early.
            LetGoOfSockets();
            _wake!.Take(timeoutMilliseconds);
            return;
        }

        if (!_holdsSockets) HoldSockets();

        // Which descriptor it was does not matter: the thread looks at all of them.
        byte* events = stackalloc byte[EpollDescriptor.EventBytesMax];

        // SAFETY: there is room for one event, written during the call only.
        _epoll.Wait(events, 1, timeoutMilliseconds);
    }

    /// <inheritdoc/>
    protected override void Signal() => _wake!.Signal();

    private void HoldSockets()
    {
        foreach ((int descriptor, bool byEdge) in _sockets)
        {
            uint events = Epoll.EPOLLIN | Epoll.EPOLLEXCLUSIVE | (byEdge ? Epoll.EPOLLET : 0);
            _epoll.Control(Epoll.EPOLL_CTL_ADD, descriptor, events, data: 0);
        }

        _holdsSockets = true;
    }

    private void LetGoOfSockets()
    {
        if (!_holdsSockets) return;
        _holdsSockets = false;
        foreach ((int descriptor, bool _) in _sockets) _epoll.Forget(descriptor);
    }
}
