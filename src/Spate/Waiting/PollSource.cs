using System.Collections.Concurrent;
using System.Diagnostics;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// Reports to any number of threads which sockets of a poller can be read. A thread keeps its claim on a reported entry
/// until <see cref="PollEntry.TryRelease"/>, <see cref="Requeue"/> or <see cref="RetryLater"/>. Wakes are counted, so
/// that each thread returns once after a wake, even a thread that was only about to wait. Several wakes before that
/// return count as one.
/// </summary>
/// <param name="set">A set that several threads share. The source disposes it.</param>
internal sealed class PollSource(EventSet set) : IDisposable
{
    /// <summary>A result of <see cref="Wait"/>: the source was disposed.</summary>
    public const int Closed = -1;

    /// <summary>A result of <see cref="Wait"/>: <see cref="Wake"/> was called.</summary>
    public const int Woken = -2;

    private readonly Lock _lock = new();

    // Claimed entries for the next thread that polls.
    private readonly ConcurrentQueue<PollEntry> _ready = new();
    private int _waitingCount;

    // The threads that waited at the latest wake and have not yet returned from that wait.
    private int _staleCount;

    // Set while the stale threads are none.
    private readonly ManualResetEventSlim _noneIsStale = new(initialState: true);
    private long _wakeCount;
    private bool _closed;

    public void Add(PollEntry entry) => set.Add(entry, EventTrigger.Edge);

    public EventEntry[] All() => set.All();

    /// <summary>
    /// Removes an entry: from now on no thread can claim it. The caller must not have closed the entry's descriptor
    /// yet.
    /// </summary>
    public void Remove(PollEntry entry)
    {
        if (entry.Leave()) set.Remove(entry);
    }

    /// <summary>Requests further events of a released entry, whose socket was found empty.</summary>
    public void Request(PollEntry entry) => set.Request(entry, ReadyEvents.Readable);

    /// <summary>
    /// Releases an entry and reports it again about a millisecond later. For a failure such as ENOBUFS, whose end no
    /// event announces.
    /// </summary>
    public void RetryLater(PollEntry entry)
    {
        entry.Release();
        ReportLater(entry);
    }

    /// <summary>Reports an entry about a millisecond later, also while a thread has claimed it.</summary>
    public void ReportLater(PollEntry entry)
    {
        set.RequestLater(entry);
        WakeOne();
    }

    /// <summary>Waits for ready entries, claims them for the thread and puts them into the thread's list.</summary>
    /// <returns>
    /// The number of entries, possibly 0 before the timeout ends; or <see cref="Closed"/> or <see cref="Woken"/>.
    /// </returns>
    public int Wait(PollThread thread, int timeoutMilliseconds)
    {
        Debug.Assert(thread.Source == this, "The thread has counted the wakes of another source.");

        // The signal of a wake ends every wait until the last stale thread has noticed it. A thread that has returned
        // already would find the signal again and again, and keep the CPU from the stale threads.
        if (timeoutMilliseconds != 0 && !_noneIsStale.IsSet && HasSeenAllWakes(thread))
        {
            _noneIsStale.Wait(timeoutMilliseconds);
            return 0;
        }

        lock (_lock)
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
            count += WaitInSet(thread.Entries.AsSpan(count), count > 0 ? 0 : timeoutMilliseconds);
            if (count == 0) count = TakeReady(thread);
        }
        finally
        {
            lock (_lock) EndWait(thread, count, waitsAgain: timeoutMilliseconds != 0);
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
        lock (_lock) WakeAll();
    }

    /// <summary>Ends all waits for good.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_closed) return;
            _closed = true;
            WakeAll();
        }

        // No further signal is needed: that of WakeAll stays set until the last wait has ended.
        set.Dispose();
    }

    private bool HasSeenAllWakes(PollThread thread)
    {
        lock (_lock) return !_closed && thread.WakesSeen == _wakeCount;
    }

    private void WakeOne()
    {
        lock (_lock)
        {
            if (_waitingCount > 0) set.Signal();
        }
    }

    private int WaitInSet(Span<EventEntry> entries, int timeoutMilliseconds)
    {
        int found = set.Wait(entries, default, _ready.IsEmpty ? timeoutMilliseconds : 0, out bool isSignalled);
        if (isSignalled) EndSignalUnlessNeeded();

        // Claims only after all entries were looked up. The cache misses of the look-ups overlap, and an interlocked
        // operation between them would make each miss wait for the previous miss.
        int claimed = 0;
        for (int i = 0; i < found; i++)
        {
            if (((PollEntry)entries[i]).TryClaim()) entries[claimed++] = entries[i];
        }

        return claimed;
    }

    // Resets the signal, unless it belongs to a call of Wake that some threads have not noticed yet. In that case
    // EndWait resets the signal when the last of these threads has noticed it. A signal of Requeue is for one thread
    // only, so the thread that got the signal resets it.
    private void EndSignalUnlessNeeded()
    {
        lock (_lock)
        {
            if (_staleCount == 0) set.EndSignal();
        }
    }

    private void EndWait(PollThread thread, int count, bool waitsAgain)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread);
        _waitingCount--;
        bool isStale = thread.WakesSeen != _wakeCount;
        if (isStale && --_staleCount == 0)
        {
            set.EndSignal();
            _noneIsStale.Set();
        }

        Debug.Assert(
            _staleCount >= 0 && _staleCount <= _waitingCount,
            "Each thread that a wake found waiting ends its wait once.");

        // Passes the signal on to another waiting thread, because it may have been meant for entries that this thread
        // does not take. If this thread waits again at once, it needs no signal for entries of ReportLater: its next
        // wait reports them.
        bool hasLater = set.HasLater && (isStale || count > 0 || !waitsAgain);
        if (_waitingCount > 0 && (!_ready.IsEmpty || hasLater)) set.Signal();
    }

    private void WakeAll()
    {
        Debug.Assert(_lock.IsHeldByCurrentThread);
        _wakeCount++;
        _staleCount = _waitingCount;
        if (_staleCount == 0) return;
        _noneIsStale.Reset();
        set.Signal();
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

/// <summary>
/// One socket in a poller. A thread claims the entry before it handles the socket; only one thread at a time has the
/// claim. An event during a claim makes the claiming thread receive once more. So no event is lost and no two threads
/// handle the socket at once, without a call to the system.
/// </summary>
internal class PollEntry(PollSource source, int descriptor, SocketContext context) : EventEntry(descriptor, context)
{
    private const int Idle = 0;
    private const int Claimed = 1;
    private const int ClaimedWithEvent = 2;
    private const int Left = 3;

    private int _state;

    public PollSource Source { get; } = source;

    public bool HasLeft => Volatile.Read(ref _state) == Left;

    /// <summary>
    /// Claims the entry. Returns false if the entry was removed, or if another thread has the claim: that thread then
    /// receives once more.
    /// </summary>
    public bool TryClaim()
    {
        while (true)
        {
            int state = Interlocked.CompareExchange(ref _state, Claimed, Idle);
            if (state == Idle) return true;

            // If the claim of the other thread ends between the two exchanges, the next round gets the claim.
            if (state != Claimed
                || Interlocked.CompareExchange(ref _state, ClaimedWithEvent, Claimed) == Claimed)
            {
                return false;
            }
        }
    }

    /// <summary>Ends the claim. Returns false if an event came during the claim: the claim then continues.</summary>
    public bool TryRelease()
    {
        int state = Interlocked.CompareExchange(ref _state, Idle, Claimed);
        Debug.Assert(state != Idle, "Only the thread that has the claim ends it.");
        if (state != ClaimedWithEvent) return true;
        Interlocked.CompareExchange(ref _state, Claimed, ClaimedWithEvent);
        return false;
    }

    /// <summary>Ends the claim, even if an event came during the claim.</summary>
    public void Release()
    {
        while (!TryRelease())
        {
            // The event is dropped, because the caller makes sure that the entry is reported again.
        }
    }

    /// <summary>
    /// Marks the entry as removed: from now on no thread can claim it. Returns false if it was removed before.
    /// </summary>
    public bool Leave() => Interlocked.Exchange(ref _state, Left) != Left;
}

/// <summary>The state of one polling thread between its calls, kept in the batch of the thread.</summary>
internal sealed class PollThread(PollSource source)
{
    /// <summary>
    /// The most sockets that one thread claims at once. Enough to make the system call cheap per socket; few enough to
    /// leave sockets for other threads.
    /// </summary>
    public const int MaxEntries = 64;

    public PollSource Source { get; } = source;

    /// <summary>The sockets that this thread has claimed.</summary>
    public EventEntry[] Entries { get; } = new EventEntry[MaxEntries];

    /// <summary>
    /// The combined results of <see cref="Receiver.Prefetch"/>, stored so that the reads are not optimised away.
    /// </summary>
    public bool Prefetched { get; set; }

    /// <summary>The source's count of wakes when this thread last returned because of a wake.</summary>
    public long WakesSeen { get; set; }
}
