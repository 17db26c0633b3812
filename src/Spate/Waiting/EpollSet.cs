using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>A descriptor in an <see cref="EpollSet{TEntry}"/>.</summary>
internal class EpollEntry(int descriptor)
{
    public int Descriptor { get; } = descriptor;

    /// <summary>
    /// The number that the set gave to this entry. It is never 0 and, unlike a descriptor, is not given to another
    /// entry later.
    /// </summary>
    public ulong Id { get; set; }
}

/// <summary>
/// An epoll instance, with an eventfd that ends waits and a queue of entries to report a little later. All code that
/// waits with epoll uses this class: the thread of all awaited calls, the threads of a poller, and each thread of a
/// server. Any thread may call any member at any time. If several threads wait in a set, <see cref="Dispose"/> closes
/// the descriptors only after the last running call has returned. If one thread waits in a set, the caller must not use
/// the set after <see cref="Dispose"/>.
/// </summary>
internal sealed unsafe class EpollSet<TEntry> : IDisposable
    where TEntry : EpollEntry
{
    private const ulong WakeId = 0;
    private const int InitialPlaceCount = 8;
    private const int LaterMilliseconds = 1;

    // Room for one event on every machine (Epoll.EventBytes is 12 or 16).
    private const int MaxEventBytes = 16;

    private static readonly TimeSpan LaterTime = TimeSpan.FromMilliseconds(LaterMilliseconds);

    // Null if only one thread waits. In this case the caller closes the set only after its last use, so no gate is
    // needed, and threads that change the set do not contend with the waiting thread.
    private readonly CallGate? _gate;
    private readonly SafeFileHandle _epoll;
    private readonly WakeDescriptor? _wake;
    private readonly ConcurrentQueue<TEntry> _later = new();
    private long _laterTakenTimestamp;

    // Each entry has a place: its index in _entries. The low half of the entry's number (Id) is the place plus 1. A
    // place is used again after its entry was removed. The high half counts up with each added entry, so the number of
    // a removed entry finds nothing. Find takes no lock.
    private readonly Lock _entriesLock = new();
    private readonly Stack<int> _freePlaces = new();
    private TEntry?[] _entries = new TEntry?[InitialPlaceCount];
    private int _usedPlaceCount;
    private uint _generation;

    /// <param name="isShared">
    /// Whether several threads wait in the set. If so, a signal ends all waits until <see cref="EndSignal"/>. If not, a
    /// signal ends the running wait or else the next one, and needs no <see cref="EndSignal"/>.
    /// </param>
    /// <exception cref="System.Net.Sockets.SocketException">No descriptor is free.</exception>
    public EpollSet(bool isShared)
    {
        if (isShared) _gate = new CallGate();
        _epoll = new SafeFileHandle(Check(Epoll.epoll_create1(Epoll.EPOLL_CLOEXEC)), ownsHandle: true);
        try
        {
            // For one waiting thread the eventfd is edge-triggered: each write is reported once, and nobody reads the
            // count. The count has 64 bits and does not overflow (eventfd.2).
            _wake = new WakeDescriptor();
            uint events = Epoll.EPOLLIN | (isShared ? 0 : Epoll.EPOLLET);
            Control(Epoll.EPOLL_CTL_ADD, _wake.Number, events, WakeId);
        }
        catch
        {
            CloseDescriptors();
            throw;
        }
    }

    /// <summary>The number of entries that were added and not removed.</summary>
    public int Count
    {
        get
        {
            lock (_entriesLock) return _usedPlaceCount - _freePlaces.Count;
        }
    }

    /// <summary>Whether entries of <see cref="AddLater"/> still have to be reported.</summary>
    public bool HasLater => !_later.IsEmpty;

    public TEntry[] All()
    {
        lock (_entriesLock) return [.. _entries.OfType<TEntry>()];
    }

    /// <summary>Adds an entry and gives it a number (<see cref="EpollEntry.Id"/>).</summary>
    /// <param name="entry">An entry that is in no set.</param>
    /// <param name="events">The events to report, together with flags such as EPOLLET (epoll_ctl.2).</param>
    /// <exception cref="System.Net.Sockets.SocketException">The system refused.</exception>
    /// <exception cref="ObjectDisposedException">The set is closed.</exception>
    public void Add(TEntry entry, uint events)
    {
        ObjectDisposedException.ThrowIf(!TryEnter(), this);
        try
        {
            // The entry gets its number before the kernel knows the descriptor, because an event may come at once.
            GiveNumber(entry);
            Control(Epoll.EPOLL_CTL_ADD, entry.Descriptor, events, entry.Id);
        }
        catch
        {
            Forget(entry);
            throw;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Replaces the events that are reported for an entry.</summary>
    /// <exception cref="System.Net.Sockets.SocketException">The system refused.</exception>
    public void Change(TEntry entry, uint events)
    {
        if (!TryEnter()) return;
        try
        {
            Control(Epoll.EPOLL_CTL_MOD, entry.Descriptor, events, entry.Id);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>
    /// Removes an entry, whose descriptor must still be open. Does nothing if the entry is not in this set.
    /// </summary>
    public void Remove(TEntry entry)
    {
        if (!Forget(entry) || !TryEnter()) return;
        byte* unused = stackalloc byte[MaxEventBytes];

        // SAFETY: the kernel does not read the event of a removal (epoll_ctl.2). If the call fails, the descriptor was
        // closed by other code, which has also removed it from the set.
        Epoll.epoll_ctl(Number, Epoll.EPOLL_CTL_DEL, entry.Descriptor, unused);
        Leave();
    }

    /// <summary>
    /// Removes an entry without a call to the system, for a descriptor that is already closed. The close has removed
    /// the descriptor from the epoll set (epoll.7), and its number may belong to another file by now.
    /// </summary>
    /// <returns>False if the entry is not in this set.</returns>
    public bool Forget(TEntry entry)
    {
        lock (_entriesLock)
        {
            if (entry.Id == 0 || Find(entry.Id) != entry) return false;
            int place = PlaceOf(entry.Id);
            _entries[place] = null;
            _freePlaces.Push(place);
            return true;
        }
    }

    /// <summary>
    /// Makes a wait report the entry once, about a millisecond later, as readable and writable. For a failure such as
    /// ENOBUFS, whose end no event announces. An entry that is added again each time is reported at most once per
    /// millisecond, so no thread spins. A wait that is already running ignores the entry; call <see cref="Signal"/> to
    /// end that wait.
    /// </summary>
    public void AddLater(TEntry entry) => _later.Enqueue(entry);

    /// <summary>Waits until an entry is ready, the timeout ends, a signal comes or the set is closed.</summary>
    /// <param name="ready">Receives the entries that are ready.</param>
    /// <param name="events">
    /// Receives the events of each entry. The span has the length of <paramref name="ready"/>, or is empty if the
    /// caller does not need the events.
    /// </param>
    /// <param name="timeoutMilliseconds">The maximum wait; -1 waits forever.</param>
    /// <param name="isSignalled">Whether the wait has found a signal.</param>
    /// <returns>The number of entries in <paramref name="ready"/>. It may be 0 before the timeout ends.</returns>
    [SkipLocalsInit]
    public int Wait(Span<TEntry> ready, Span<uint> events, int timeoutMilliseconds, out bool isSignalled)
    {
        isSignalled = false;
        if (!TryEnter()) return 0;
        byte* reported = stackalloc byte[MaxEventBytes * ready.Length];
        int count;
        try
        {
            if (HasLater) timeoutMilliseconds = Deadline.Shorter(timeoutMilliseconds, LaterMilliseconds);

            // SAFETY: the buffer on this thread's stack has room for all events that the call may return.
            count = Epoll.epoll_wait(Number, reported, ready.Length, timeoutMilliseconds);
        }
        finally
        {
            Leave();
        }

        int found = 0;
        for (int i = 0; i < count; i++)
        {
            (uint happened, ulong id) = Epoll.Read(reported, i);
            if (id == WakeId)
            {
                isSignalled = true;
            }
            else if (Find(id) is { } entry)
            {
                if (!events.IsEmpty) events[found] = happened;
                ready[found++] = entry;
            }
        }

        return HasLater ? TakeLater(ready, events, found) : found;
    }

    /// <summary>
    /// Ends all waits until <see cref="EndSignal"/> if several threads wait in the set. Otherwise ends the running
    /// wait, or the next one.
    /// </summary>
    public void Signal()
    {
        if (!TryEnter()) return;
        _wake!.Signal();
        Leave();
    }

    /// <summary>Resets the signal of a set in which several threads wait.</summary>
    public void EndSignal()
    {
        if (!TryEnter()) return;
        _wake!.Reset();
        Leave();
    }

    /// <summary>
    /// Closes the set. If several threads wait in it, the caller has to signal them, and this method returns after the
    /// last wait has ended.
    /// </summary>
    public void Dispose()
    {
        const int patienceMilliseconds = 100;
        if (_gate?.Close() == false) return;
        while (_gate?.WaitEmpty(patienceMilliseconds) == false)
        {
            // The signal stays set until all waits have ended, so it need not be repeated.
        }

        CloseDescriptors();
    }

    private bool TryEnter() => _gate is null || _gate.TryEnter();

    private void Leave() => _gate?.Leave();

    private int Number => (int)_epoll.DangerousGetHandle();

    private static int PlaceOf(ulong id) => (int)((uint)id - 1);

    private TEntry? Find(ulong id)
    {
        TEntry?[] entries = Volatile.Read(ref _entries);
        int place = PlaceOf(id);
        if ((uint)place >= (uint)entries.Length) return null;
        TEntry? entry = Volatile.Read(ref entries[place]);
        return entry is not null && entry.Id == id ? entry : null;
    }

    private void GiveNumber(TEntry entry)
    {
        lock (_entriesLock)
        {
            if (!_freePlaces.TryPop(out int place)) place = _usedPlaceCount++;
            if (place == _entries.Length)
            {
                TEntry?[] grown = new TEntry?[_entries.Length * 2];
                _entries.CopyTo(grown, 0);
                Volatile.Write(ref _entries, grown);
            }

            entry.Id = ((ulong)++_generation << 32) | (uint)(place + 1);
            Volatile.Write(ref _entries[place], entry);
        }
    }

    private int TakeLater(Span<TEntry> ready, Span<uint> events, int found)
    {
        if (Stopwatch.GetElapsedTime(Volatile.Read(ref _laterTakenTimestamp)) < LaterTime) return found;
        Volatile.Write(ref _laterTakenTimestamp, Stopwatch.GetTimestamp());
        for (int left = _later.Count; left > 0 && found < ready.Length; left--)
        {
            if (!_later.TryDequeue(out TEntry? entry)) break;
            if (!events.IsEmpty) events[found] = Epoll.EPOLLIN | Epoll.EPOLLOUT;
            ready[found++] = entry;
        }

        return found;
    }

    private void Control(int operation, int descriptor, uint events, ulong id)
    {
        byte* epollEvent = stackalloc byte[MaxEventBytes];
        Epoll.Write(epollEvent, 0, events, id);

        // SAFETY: the buffer is large enough on every machine; the kernel copies the event during the call.
        Check(Epoll.epoll_ctl(Number, operation, descriptor, epollEvent));
    }

    private void CloseDescriptors()
    {
        _wake?.Dispose();
        _epoll.Dispose();
    }

    private static int Check(int result) =>
        result >= 0 ? result : throw DescriptorLimit.FaultOf(Marshal.GetLastPInvokeError());
}
