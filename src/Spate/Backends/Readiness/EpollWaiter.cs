using System.ComponentModel;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Backends.Readiness;

/// <summary>
/// Sleeping in epoll, on the sockets and an eventfd. Several threads may have the same socket in a set of their own:
/// EPOLLEXCLUSIVE (Linux 4.5) then wakes one of them per datagram, where poll would wake all. A set holds the sockets
/// only from the first sleep on them until the thread parks: the kernel goes through every set that holds a socket for
/// every datagram that arrives there, also through those of parked threads.
/// </summary>
internal sealed unsafe class EpollWaiter : ThreadWaiter
{
    private readonly int _epollDescriptor;
    private readonly int _wakeDescriptor;
    private readonly (int Descriptor, bool ByEdge)[] _sockets;
    private bool _holdsSockets;

    public EpollWaiter(ReadOnlySpan<(int Descriptor, bool ByEdge)> sockets)
    {
        _sockets = sockets.ToArray();
        _epollDescriptor = Check(Epoll.epoll_create1(Epoll.EPOLL_CLOEXEC));
        _wakeDescriptor = -1;
        try
        {
            _wakeDescriptor = Check(EventFd.eventfd(0, EventFd.EFD_CLOEXEC | EventFd.EFD_NONBLOCK));

            // Edge-triggered, so that it need not be read after each wake-up; its 64-bit count does not overflow.
            Add(_wakeDescriptor, Epoll.EPOLLIN | Epoll.EPOLLET);
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
        if (_wakeDescriptor >= 0) Unistd.close(_wakeDescriptor);
        Unistd.close(_epollDescriptor);
    }

    /// <inheritdoc/>
    protected override void Wait(int timeoutMilliseconds, bool forSockets)
    {
        if (!forSockets)
        {
            LetGoOfSockets();
            WaitForSignal(timeoutMilliseconds);
            return;
        }

        if (!_holdsSockets) HoldSockets();

        // Which descriptor it was does not matter: the thread looks at all of them.
        byte* events = stackalloc byte[16];

        // SAFETY: 16 bytes hold one event on every machine; they are written during the call only.
        Epoll.epoll_wait(_epollDescriptor, events, 1, timeoutMilliseconds);
    }

    /// <inheritdoc/>
    protected override void Signal()
    {
        ulong one = 1;

        // SAFETY: eight bytes on the stack, read during the call only (eventfd.2).
        Unistd.write(_wakeDescriptor, &one, sizeof(ulong));
    }

    private void WaitForSignal(int timeoutMilliseconds)
    {
        pollfd wake = new() { fd = _wakeDescriptor, events = Poll.POLLIN };

        // SAFETY: both lie on the stack and are used during the calls only. Reading takes back signals of earlier
        // sleeps, so at most one wait ends early.
        if (Poll.poll(&wake, 1, timeoutMilliseconds) <= 0) return;
        ulong count;
        Unistd.read(_wakeDescriptor, &count, sizeof(ulong));
    }

    private void HoldSockets()
    {
        foreach ((int descriptor, bool byEdge) in _sockets)
            Add(descriptor, Epoll.EPOLLIN | Epoll.EPOLLEXCLUSIVE | (byEdge ? Epoll.EPOLLET : 0));
        _holdsSockets = true;
    }

    private void LetGoOfSockets()
    {
        if (!_holdsSockets) return;
        _holdsSockets = false;

        // SAFETY: no event is given; the kernel does not read one for this operation (epoll_ctl.2, since 2.6.9).
        foreach ((int descriptor, bool _) in _sockets)
            Epoll.epoll_ctl(_epollDescriptor, Epoll.EPOLL_CTL_DEL, descriptor, null);
    }

    private void Add(int descriptor, uint events)
    {
        byte* epollEvent = stackalloc byte[16];
        Epoll.Write(epollEvent, 0, events, 0);

        // SAFETY: 16 bytes hold one event on every machine; the kernel copies it during the call.
        Check(Epoll.epoll_ctl(_epollDescriptor, Epoll.EPOLL_CTL_ADD, descriptor, epollEvent));
    }

    private static int Check(int result) =>
        result >= 0 ? result : throw new Win32Exception(Marshal.GetLastPInvokeError());
}
