using System.Collections.Concurrent;

namespace Spate.Waiting;

/// <summary>
/// Reports to any number of threads which of many sockets can be read. A thread keeps its claim on a reported entry
/// until <see cref="PollEntry.TryRelease"/>, <see cref="Requeue"/> or <see cref="RetryLater"/>. Wakes are counted, so
/// that each thread returns once for each wake, even a thread that was about to wait.
/// </summary>
internal abstract class PollSource : IDisposable
{
    /// <summary>The source was disposed.</summary>
    public const int Closed = -1;

    /// <summary>The thread was woken on purpose.</summary>
    public const int Woken = -2;

    private readonly ConcurrentQueue<PollEntry> _ready = new();
    private int _waitingCount;
    private int _staleCount;
    private long _wakeCount;
    private bool _closed;

    protected object SyncRoot { get; } = new();

    /// <summary>Whether claimed entries are queued for whichever thread polls next.</summary>
    protected bool HasReady => !_ready.IsEmpty;

    /// <summary>Whether entries will be reported only by a wait that begins from now on.</summary>
    protected virtual bool HasLater => false;

    /// <summary>Under the lock: whether threads still have to be woken.</summary>
    protected bool HasStale => _staleCount > 0;

    /// <summary>Uses the system's list of ready sockets if there is one, otherwise callbacks.</summary>
    public static PollSource Create() => OperatingSystem.IsLinux() ? new EpollSource() : new CallbackSource();

    public abstract void Add(PollEntry entry);

    public abstract PollEntry[] All();

    /// <summary>Nobody gets a claim on the entry any more. Its descriptor must still be open.</summary>
    public void Remove(PollEntry entry)
    {
        if (entry.Leave()) RemoveCore(entry);
    }

    /// <summary>Asks for further events of an entry that was released.</summary>
    public virtual void Rearm(PollEntry entry)
    {
    }

    /// <summary>
    /// Releases an entry and reports it about a millisecond later: for a shortage that has no event.
    /// </summary>
    public abstract void RetryLater(PollEntry entry);

    /// <summary>Fills the thread's list with entries that the thread has then claimed.</summary>
    /// <returns>Their count, possibly 0 before the time is over, or one of the constants.</returns>
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

            // Before the queue is looked at: a thread that queues an entry afterwards sees that this one waits.
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

    /// <summary>Passes a claim to whichever thread polls next, and wakes one for it.</summary>
    public void Requeue(PollEntry entry)
    {
        _ready.Enqueue(entry);
        WakeOne();
    }

    /// <summary>Every thread that polls returns once; a thread that does not wait does so at its next call.</summary>
    public void Wake()
    {
        lock (SyncRoot) WakeAll();
    }

    /// <summary>Ends all waits for good. Returns when no thread uses the source any more.</summary>
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
    /// Waits for entries and claims them. Returns their count after the time, after an event, or after
    /// <see cref="Signal"/>.
    /// </summary>
    protected abstract int WaitCore(Span<PollEntry> entries, int timeoutMilliseconds);

    /// <summary>Under the lock: wakes the threads in <see cref="WaitCore"/>, at least one.</summary>
    protected abstract void Signal();

    /// <summary>Under the lock: every thread that was to be woken is awake.</summary>
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

    // Under the lock.
    private void EndWait(PollThread thread, int count)
    {
        _waitingCount--;
        bool isStale = thread.WakesSeen != _wakeCount;
        if (isStale && --_staleCount == 0) EndSignal();

        // The signal that woke this thread may have been meant for entries that the thread leaves to others. A thread
        // that waits again at once needs no signal for later entries: it looks at them itself.
        if (_waitingCount > 0 && (HasReady || (HasLater && (isStale || count > 0)))) Signal();
    }

    // Under the lock.
    private void WakeAll()
    {
        _wakeCount++;
        _staleCount = _waitingCount;
        if (_staleCount > 0) Signal();
    }

    // Half the list at most, so that new events always find room.
    private int TakeReady(PollThread thread)
    {
        int count = 0;
        while (count < PollThread.MaxEntries / 2 && _ready.TryDequeue(out PollEntry? entry))
            thread.Entries[count++] = entry;
        return count;
    }
}
