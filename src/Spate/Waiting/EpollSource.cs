using Spate.Interop.Linux;

namespace Spate.Waiting;

/// <summary>
/// The poll source for Linux: all polling threads wait in one epoll set. The set is edge-triggered: the kernel reports
/// the queued datagrams of a socket once, to one thread, and need not check the socket again in the next call. A
/// receive that gets less than it asked for has emptied the socket (epoll.7), so no call is spent on an empty socket.
/// </summary>
internal sealed class EpollSource : PollSource
{
    private readonly EpollSet<PollEntry> _set = new(isShared: true);

    /// <inheritdoc/>
    protected override bool HasLater => _set.HasLater;

    /// <inheritdoc/>
    public override void Add(PollEntry entry) => _set.Add(entry, Epoll.EPOLLIN | Epoll.EPOLLET);

    /// <inheritdoc/>
    public override PollEntry[] All() => _set.All();

    /// <inheritdoc/>
    public override void RetryLater(PollEntry entry)
    {
        entry.Release();
        _set.AddLater(entry);
        WakeOne();
    }

    /// <inheritdoc/>
    protected override void RemoveCore(PollEntry entry) => _set.Remove(entry);

    /// <inheritdoc/>
    protected override int WaitCore(Span<PollEntry> entries, int timeoutMilliseconds)
    {
        int found = _set.Wait(entries, default, HasReady ? 0 : timeoutMilliseconds, out bool isSignalled);
        if (isSignalled) EndSignalUnlessNeeded();

        // Claims only after all entries were looked up. The cache misses of the look-ups overlap, and an interlocked
        // operation between them would make each miss wait for the previous miss.
        int claimed = 0;
        for (int i = 0; i < found; i++)
        {
            if (entries[i].TryClaim()) entries[claimed++] = entries[i];
        }

        return claimed;
    }

    /// <inheritdoc/>
    protected override void Signal() => _set.Signal();

    /// <inheritdoc/>
    protected override void EndSignal() => _set.EndSignal();

    /// <summary>
    /// Closes the set after the last wait in it has ended. No further signal is needed: the signal of
    /// <see cref="PollSource.Dispose"/> stays set until then.
    /// </summary>
    protected override void DisposeCore() => _set.Dispose();

    // Resets the signal, unless it belongs to a call of Wake that some threads have not noticed yet. In that case
    // EndWait resets the signal when the last of these threads has noticed it. A signal of Requeue is for one thread
    // only, so the thread that got the signal resets it.
    private void EndSignalUnlessNeeded()
    {
        lock (SyncRoot)
        {
            if (!HasStale) EndSignal();
        }
    }
}
