using Spate.Interop.Linux;

namespace Spate.Waiting;

/// <summary>
/// The waiter for Linux: a thread sleeps in epoll on its sockets and on a signal. Several threads may have the same
/// socket in their own sets: EPOLLEXCLUSIVE (Linux 4.5) then wakes one of the threads per datagram, whereas poll would
/// wake all. A thread that sleeps only on the signal (a parked thread) removes the sockets from its set until it sleeps
/// on them again. Otherwise the kernel would go through the sets of parked threads too, for every datagram that arrives
/// at a socket in these sets.
/// </summary>
internal sealed class EpollWaiter : ThreadWaiter
{
    private readonly EpollSet<EpollEntry> _set = new(isShared: false);
    private readonly (EpollEntry Entry, bool ByEdge)[] _sockets;

    // One entry is enough, because the thread tries all its sockets after each wait.
    private readonly EpollEntry[] _ready = new EpollEntry[1];
    private bool _hasSockets;

    public EpollWaiter(ReadOnlySpan<(int Descriptor, bool ByEdge)> sockets)
    {
        _sockets = new (EpollEntry, bool)[sockets.Length];
        for (int i = 0; i < sockets.Length; i++)
            _sockets[i] = (new EpollEntry(sockets[i].Descriptor), sockets[i].ByEdge);
        try
        {
            AddSockets();
        }
        catch
        {
            Close();
            throw;
        }
    }

    /// <inheritdoc/>
    protected override void Close() => _set.Dispose();

    /// <inheritdoc/>
    protected override void Wait(int timeoutMilliseconds, bool forSockets)
    {
        if (forSockets != _hasSockets)
        {
            if (forSockets) AddSockets();
            else RemoveSockets();
        }

        // A signal of an earlier sleep may still be pending. It then ends this wait early, but only once.
        _set.Wait(_ready, default, timeoutMilliseconds, out _);
    }

    /// <inheritdoc/>
    protected override void Signal() => _set.Signal();

    private void AddSockets()
    {
        foreach ((EpollEntry entry, bool byEdge) in _sockets)
            _set.Add(entry, Epoll.EPOLLIN | Epoll.EPOLLEXCLUSIVE | (byEdge ? Epoll.EPOLLET : 0));
        _hasSockets = true;
    }

    private void RemoveSockets()
    {
        _hasSockets = false;
        foreach ((EpollEntry entry, bool _) in _sockets) _set.Remove(entry);
    }
}
