using Spate.Interop.Linux;

namespace Spate.Waiting;

/// <summary>
/// Linux: one epoll set, in which every polling thread waits. Edge-triggered, so that the kernel reports a socket's
/// queued datagrams once, to one thread, and need not check the socket again in the next call. A reader that gets less
/// than it asked for has met the end (epoll.7), so no call is spent on an empty socket.
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

        // After all were looked up: the look-ups wait for memory together, an interlocked operation for itself.
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
    /// Closes the set. The signal stays from Wake on until the last wait has ended, so every thread has left the set.
    /// </summary>
    protected override void DisposeCore() => _set.Dispose();

    // The signal lasts until the last thread that is to return has seen it. A Requeue needs one thread only.
    private void EndSignalUnlessNeeded()
    {
        lock (SyncRoot)
        {
            if (!HasStale) EndSignal();
        }
    }
}
