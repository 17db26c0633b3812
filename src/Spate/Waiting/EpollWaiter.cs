using Spate.Interop.Linux;

namespace Spate.Waiting;

/// <summary>
/// Sleeping in epoll, on the sockets and a signal. Several threads may have the same socket in a set of their own:
/// EPOLLEXCLUSIVE (Linux 4.5) then wakes one of them per datagram, where poll would wake all. A set contains the
/// sockets only from the first sleep on them until the thread parks: the kernel goes through every set that contains a
/// socket for every datagram that arrives there, also through those of parked threads.
/// </summary>
internal sealed class EpollWaiter : ThreadWaiter
{
    private readonly EpollSet<EpollEntry> _set = new(isShared: false);
    private readonly (EpollEntry Entry, bool ByEdge)[] _sockets;

    // Which socket it was does not matter: the thread looks at all of them.
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

        // A signal of an earlier sleep may still be there: then this wait ends early, once.
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
