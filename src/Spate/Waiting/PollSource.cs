using System.Collections.Concurrent;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// Tells any number of threads which of many sockets can be read. What it hands out is the thread's to handle until
/// <see cref="PollEntry.TryEnd"/> or <see cref="PutBack"/>. Wakes are counted, so that each thread returns once for
/// each, also one that was about to wait.
/// </summary>
internal abstract class PollSource : IDisposable
{
    /// <summary>The source was disposed.</summary>
    public const int Closed = -1;

    /// <summary>The thread was woken on purpose.</summary>
    public const int Woken = -2;

    private const int LaterMilliseconds = 1;

    private readonly ConcurrentQueue<PollEntry> _ready = new();
    private readonly ConcurrentQueue<PollEntry> _later = new();
    private int _waitingCount;
    private int _staleCount;
    private long _wakeCount;
    private bool _closed;

    protected object SyncRoot { get; } = new();

    protected PollEntryTable Entries { get; } = new();

    protected bool HasReady => !_ready.IsEmpty;

    /// <summary>Under the lock: whether threads still have to be woken.</summary>
    protected bool HasStale => _staleCount > 0;

    /// <summary>Where the system offers a list of ready sockets, that; otherwise callbacks.</summary>
    public static PollSource Create() => OperatingSystem.IsLinux() ? new EpollSource() : new CallbackSource();

    public abstract void Add(PollEntry entry, DatagramBackend backend);

    public PollEntry[] All() => Entries.All();

    /// <summary>The entry gets no turn any more. Its descriptor must still be open.</summary>
    public void Remove(PollEntry entry)
    {
        if (entry.Leave()) RemoveCore(entry);
    }

    /// <summary>Asks for further events of an entry whose turn has ended.</summary>
    public virtual void Rearm(PollEntry entry)
    {
    }

    /// <summary>Fills the seat with entries whose turn the thread then has.</summary>
    /// <returns>Their count, or one of the constants.</returns>
    public int Wait(PollSeat seat, int timeoutMilliseconds)
    {
        lock (SyncRoot)
        {
            if (_closed) return Closed;
            if (seat.WakesSeen != _wakeCount)
            {
                seat.WakesSeen = _wakeCount;
                return Woken;
            }

            // Before the queue is looked at: who puts something there afterwards sees that somebody waits.
            _waitingCount++;
        }

        int count = 0;
        try
        {
            bool hasLater = !_later.IsEmpty;
            if (hasLater) timeoutMilliseconds = Deadline.Shorter(timeoutMilliseconds, LaterMilliseconds);
            count = TakeReady(seat);
            count += WaitCore(seat.Entries, count, count > 0 ? 0 : timeoutMilliseconds);
            if (hasLater) MakeLaterReady();
            if (count == 0) count = TakeReady(seat);
        }
        finally
        {
            lock (SyncRoot)
            {
                _waitingCount--;
                if (seat.WakesSeen != _wakeCount && --_staleCount == 0) EndSignal();

                // What woke this thread may have been meant for what it leaves to others.
                if (_waitingCount > 0 && HasReady) Signal();
            }
        }

        return count;
    }

    /// <summary>Gives a turn to whoever polls next, and wakes somebody for it.</summary>
    public void PutBack(PollEntry entry)
    {
        _ready.Enqueue(entry);
        WakeOne();
    }

    /// <summary>As <see cref="PutBack"/>, about a millisecond later: for a shortage that has no event.</summary>
    public void PutBackLater(PollEntry entry)
    {
        _later.Enqueue(entry);
        WakeOne();
    }

    /// <summary>Every thread that polls returns once, the ones that do not wait at their next call.</summary>
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
    /// Appends entries whose turn this thread has, from <paramref name="first"/> on; returns after the time, after an
    /// event, or after <see cref="Signal"/>.
    /// </summary>
    protected abstract int WaitCore(PollEntry[] entries, int first, int timeoutMilliseconds);

    /// <summary>Under the lock: wakes the threads in <see cref="WaitCore"/>, at least one.</summary>
    protected abstract void Signal();

    /// <summary>Under the lock: everybody who was to be woken is awake.</summary>
    protected virtual void EndSignal()
    {
    }

    protected abstract void DisposeCore();

    /// <summary>For events that come by callback.</summary>
    protected void OnReady(PollEntry entry)
    {
        if (entry.TryBegin()) PutBack(entry);
    }

    private void WakeOne()
    {
        lock (SyncRoot)
        {
            if (_waitingCount > 0) Signal();
        }
    }

    // Under the lock.
    private void WakeAll()
    {
        _wakeCount++;
        _staleCount = _waitingCount;
        if (_staleCount > 0) Signal();
    }

    // Half the seat at most, so that new events always find room.
    private int TakeReady(PollSeat seat)
    {
        int count = 0;
        while (count < PollSeat.EntryCountMax / 2 && _ready.TryDequeue(out PollEntry? entry))
            seat.Entries[count++] = entry;
        return count;
    }

    private void MakeLaterReady()
    {
        for (int left = _later.Count; left > 0 && _later.TryDequeue(out PollEntry? entry); left--)
            _ready.Enqueue(entry);
    }
}
