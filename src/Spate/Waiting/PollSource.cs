using System.Collections.Concurrent;

namespace Spate.Waiting;

/// <summary>
/// Reports to any number of threads which sockets of a poller can be read. A thread keeps its claim on a reported entry
/// until <see cref="PollEntry.TryRelease"/>, <see cref="Requeue"/> or <see cref="RetryLater"/>. Wakes are counted, so
/// that each thread returns once after a wake, even a thread that was only about to wait. Several wakes before that
/// return count as one.
/// </summary>
internal abstract class PollSource : IDisposable
{
    /// <summary>A result of <see cref="Wait"/>: the source was disposed.</summary>
    public const int Closed = -1;

    /// <summary>A result of <see cref="Wait"/>: <see cref="Wake"/> was called.</summary>
    public const int Woken = -2;

    private readonly ConcurrentQueue<PollEntry> _ready = new();
    private int _waitingCount;
    private int _staleCount;
    private long _wakeCount;
    private bool _closed;

    protected object SyncRoot { get; } = new();

    /// <summary>Whether claimed entries are queued for the next thread that polls.</summary>
    protected bool HasReady => !_ready.IsEmpty;

    /// <summary>
    /// Whether entries are queued that only a later wait reports, not a wait that is already running.
    /// </summary>
    protected virtual bool HasLater => false;

    /// <summary>
    /// Whether some of the threads that waited at the latest wake have not yet returned from that wait. Read under the
    /// lock.
    /// </summary>
    protected bool HasStale => _staleCount > 0;

    /// <summary>Creates a source: with epoll on Linux, otherwise with callbacks.</summary>
    public static PollSource Create() => OperatingSystem.IsLinux() ? new EpollSource() : new CallbackSource();

    public abstract void Add(PollEntry entry);

    public abstract PollEntry[] All();

    /// <summary>
    /// Removes an entry: from now on no thread can claim it. The caller must not have closed the entry's descriptor
    /// yet.
    /// </summary>
    public void Remove(PollEntry entry)
    {
        if (entry.Leave()) RemoveCore(entry);
    }

    /// <summary>
    /// Requests further events of a released entry. Does nothing if the source reports events without a request.
    /// </summary>
    public virtual void Rearm(PollEntry entry)
    {
    }

    /// <summary>
    /// Releases an entry and reports it again about a millisecond later. For a failure such as ENOBUFS, whose end no
    /// event announces.
    /// </summary>
    public abstract void RetryLater(PollEntry entry);

    /// <summary>Waits for ready entries, claims them for the thread and puts them into the thread's list.</summary>
    /// <returns>
    /// The number of entries, possibly 0 before the timeout ends; or <see cref="Closed"/> or <see cref="Woken"/>.
    /// </returns>
    public int Wait(PollThread thread, int timeoutMilliseconds)
    {
        lock (SyncRoot)
        {
            if (_closed) return Closed;
            if (thread.WakesSeen != _wakeCount)
            {
                thread.WakesSeen = _wakeCount;
                return Woken;
            }

            // This thread is counted before it reads the queue: a thread that queues an entry later sees that a thread
            // waits, and wakes it.
            _waitingCount++;
        }

        int count = 0;
        try
        {
            count = TakeReady(thread);
            count += WaitCore(thread.Entries.AsSpan(count), count > 0 ? 0 : timeoutMilliseconds);
            if (count == 0) count = TakeReady(thread);
        }
        finally
        {
            lock (SyncRoot) EndWait(thread, count);
        }

        return count;
    }

    /// <summary>
    /// Passes the claim on an entry to the next thread that polls, and wakes a waiting thread for it.
    /// </summary>
    public void Requeue(PollEntry entry)
    {
        _ready.Enqueue(entry);
        WakeOne();
    }

    /// <summary>
    /// Makes every polling thread return once: a waiting thread at once, any other thread at its next call.
    /// </summary>
    public void Wake()
    {
        lock (SyncRoot) WakeAll();
    }

    /// <summary>
    /// Ends all waits for good. On Linux this method returns only after all waits in the epoll set have ended.
    /// </summary>
    public void Dispose()
    {
        lock (SyncRoot)
        {
            if (_closed) return;
            _closed = true;
            WakeAll();
        }

        DisposeCore();
    }

    protected abstract void RemoveCore(PollEntry entry);

    /// <summary>
    /// Waits until the timeout ends, an event comes or <see cref="Signal"/> is called, and claims the entries that
    /// became ready. Returns the number of claimed entries.
    /// </summary>
    protected abstract int WaitCore(Span<PollEntry> entries, int timeoutMilliseconds);

    /// <summary>Wakes at least one of the threads in <see cref="WaitCore"/>. Called under the lock.</summary>
    protected abstract void Signal();

    /// <summary>Resets the signal after every thread that had to be woken is awake. Called under the lock.</summary>
    protected virtual void EndSignal()
    {
    }

    protected abstract void DisposeCore();

    protected void WakeOne()
    {
        lock (SyncRoot)
        {
            if (_waitingCount > 0) Signal();
        }
    }

    // Called under the lock.
    private void EndWait(PollThread thread, int count)
    {
        _waitingCount--;
        bool isStale = thread.WakesSeen != _wakeCount;
        if (isStale && --_staleCount == 0) EndSignal();

        // Passes the signal on to another waiting thread, because it may have been meant for entries that this thread
        // does not take. If this thread waits again at once, it needs no signal for entries of RetryLater: its next
        // wait reports them.
        if (_waitingCount > 0 && (HasReady || (HasLater && (isStale || count > 0)))) Signal();
    }

    // Called under the lock.
    private void WakeAll()
    {
        _wakeCount++;
        _staleCount = _waitingCount;
        if (_staleCount > 0) Signal();
    }

    // Fills at most half of the list, so that there is always room for new events.
    private int TakeReady(PollThread thread)
    {
        int count = 0;
        while (count < PollThread.MaxEntries / 2 && _ready.TryDequeue(out PollEntry? entry))
            thread.Entries[count++] = entry;
        return count;
    }
}
