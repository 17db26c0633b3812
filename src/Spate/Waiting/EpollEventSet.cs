using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The event set of Linux: an epoll instance, with an eventfd that ends waits. An entry is registered once.
/// </summary>
/// <remarks>
/// <see cref="EventTrigger.Once"/> is EPOLLONESHOT: the descriptor is armed only while calls wait for it. So datagrams
/// that no awaited call receives do not wake the thread; with EPOLLET every datagram would wake it.
/// <see cref="EventTrigger.Edge"/> is EPOLLET with EPOLLEXCLUSIVE, which the kernel allows together (epoll_ctl.2;
/// EPOLLEXCLUSIVE_OK_BITS in fs/eventpoll.c). EPOLLET: an event is reported once, to one waiting thread, and the kernel
/// need not check the descriptor again in the next call. A receive that gets less than it asked for has emptied the
/// socket (epoll.7), so no call is spent on an empty socket. EPOLLEXCLUSIVE (Linux 4.5): of several sets with the same
/// descriptor, a datagram wakes only one in which a thread waits; poll would wake all. A set in which no thread waits
/// still gets the event and reports it to its next wait, while the kernel goes on to the next set
/// (ep_poll_callback). So of threads that share a socket and empty it before they wait, none misses the last datagram.
/// </remarks>
internal sealed unsafe class EpollEventSet : EventSet
{
    private const ulong WakeId = 0;
    private const uint EdgeEvents = Epoll.EPOLLIN | Epoll.EPOLLET | Epoll.EPOLLEXCLUSIVE;

    // Room for one event on every machine (Epoll.EventBytes is 12 or 16).
    private const int MaxEventBytes = 16;

    // Null if only one thread waits. In this case the caller closes the set only after its last use, so no gate is
    // needed, and threads that change the set do not contend with the waiting thread.
    private readonly CallGate? _gate;
    private readonly SafeFileHandle _epoll;
    private readonly WakeDescriptor? _wake;

    private readonly EntryTable _entries = new();

    /// <inheritdoc cref="EventSet.Create"/>
    public EpollEventSet(bool isShared)
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

    /// <inheritdoc/>
    public override int Count => _entries.Count;

    /// <inheritdoc/>
    public override EventEntry[] All() => _entries.All();

    /// <inheritdoc/>
    public override void Add(EventEntry entry, EventTrigger trigger)
    {
        ObjectDisposedException.ThrowIf(!TryEnter(), this);
        try
        {
            // The entry gets its number before the kernel knows the descriptor, because an event may come at once. With
            // EPOLLONESHOT alone the kernel reports only EPOLLERR and EPOLLHUP until the first request, and only once.
            entry.Trigger = trigger;
            _entries.Add(entry);
            uint events = trigger == EventTrigger.Edge ? EdgeEvents : Epoll.EPOLLONESHOT;
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

    /// <inheritdoc/>
    public override void Request(EventEntry entry, ReadyEvents events)
    {
        if (entry.Trigger == EventTrigger.Edge || !TryEnter()) return;
        try
        {
            uint requested = Epoll.EPOLLONESHOT;
            if ((events & ReadyEvents.Readable) != ReadyEvents.None) requested |= Epoll.EPOLLIN;
            if ((events & ReadyEvents.Writable) != ReadyEvents.None) requested |= Epoll.EPOLLOUT;
            Control(Epoll.EPOLL_CTL_MOD, entry.Descriptor, requested, entry.Id);
        }
        finally
        {
            Leave();
        }
    }

    /// <inheritdoc/>
    public override void Withdraw(EventEntry entry)
    {
        // An armed descriptor keeps no object from being collected.
    }

    /// <inheritdoc/>
    public override void Remove(EventEntry entry)
    {
        if (!Forget(entry) || !TryEnter()) return;
        byte* unused = stackalloc byte[MaxEventBytes];

        // SAFETY: the kernel does not read the event of a removal (epoll_ctl.2). If the call fails, the descriptor was
        // closed by other code, which has also removed it from the set.
        Epoll.epoll_ctl(Number, Epoll.EPOLL_CTL_DEL, entry.Descriptor, unused);
        Leave();
    }

    /// <inheritdoc/>
    public override bool Forget(EventEntry entry)
    {
        // The close of the descriptor has removed it from the epoll set (epoll.7), and its number may belong to another
        // file by now.
        return _entries.Remove(entry);
    }

    /// <inheritdoc/>
    [SkipLocalsInit]
    public override int Wait(
        Span<EventEntry> ready, Span<ReadyEvents> events, int timeoutMilliseconds, out bool isSignalled)
    {
        isSignalled = false;
        RequireRoom(ready, events);
        if (!TryEnter()) return 0;
        byte* reported = stackalloc byte[MaxEventBytes * ready.Length];
        int count;
        try
        {
            if (!Later.IsEmpty) timeoutMilliseconds = Deadline.Shorter(timeoutMilliseconds, LaterMilliseconds);

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
            else if (_entries.Find(id) is { } entry)
            {
                if (!events.IsEmpty) events[found] = EventsOf(happened);
                ready[found++] = entry;
            }
        }

        return !Later.IsEmpty ? TakeLater(ready, events, found) : found;
    }

    /// <inheritdoc/>
    public override void Signal()
    {
        if (!TryEnter()) return;
        _wake!.Signal();
        Leave();
    }

    /// <inheritdoc/>
    public override void EndSignal()
    {
        if (!TryEnter()) return;
        _wake!.Reset();
        Leave();
    }

    /// <inheritdoc/>
    public override void Dispose()
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

    private static ReadyEvents EventsOf(uint happened)
    {
        const uint always = Epoll.EPOLLERR | Epoll.EPOLLHUP;
        ReadyEvents events = ReadyEvents.None;
        if ((happened & (Epoll.EPOLLIN | Epoll.EPOLLRDHUP | always)) != 0) events |= ReadyEvents.Readable;
        if ((happened & (Epoll.EPOLLOUT | always)) != 0) events |= ReadyEvents.Writable;
        return events;
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

/// <summary>
/// The entries of a set, each under a number that the system passes back with an event. Any thread may call any member;
/// <see cref="Find"/> takes no lock.
/// </summary>
/// <remarks>
/// Each entry has a place: its index in the list. The low half of the entry's number (<see cref="EventEntry.Id"/>) is
/// the place plus 1. A place is used again after its entry was removed. The high half counts up with each added entry,
/// so the number of a removed entry finds nothing.
/// </remarks>
internal sealed class EntryTable
{
    private const int InitialPlaceCount = 8;

    private readonly Lock _lock = new();
    private readonly Stack<int> _freePlaces = new();
    private EventEntry?[] _entries = new EventEntry?[InitialPlaceCount];
    private int _usedPlaceCount;
    private uint _generation;

    public int Count
    {
        get
        {
            lock (_lock) return _usedPlaceCount - _freePlaces.Count;
        }
    }

    public EventEntry[] All()
    {
        lock (_lock) return [.. _entries.OfType<EventEntry>()];
    }

    /// <summary>Adds an entry that is in no table, and gives it a number.</summary>
    public void Add(EventEntry entry)
    {
        lock (_lock)
        {
            Debug.Assert(entry.Id == 0 || Find(entry.Id) != entry, "The entry is in the set already.");
            if (!_freePlaces.TryPop(out int place)) place = _usedPlaceCount++;
            if (place == _entries.Length)
            {
                EventEntry?[] grown = new EventEntry?[_entries.Length * 2];
                _entries.CopyTo(grown, 0);
                Volatile.Write(ref _entries, grown);
            }

            Debug.Assert(_entries[place] is null, "The entry of a free place was removed.");
            entry.Id = ((ulong)++_generation << 32) | (uint)(place + 1);
            Volatile.Write(ref _entries[place], entry);
        }
    }

    /// <summary>Removes an entry. Returns false if it is not in the table.</summary>
    public bool Remove(EventEntry entry)
    {
        lock (_lock)
        {
            if (!Contains(entry)) return false;
            int place = PlaceOf(entry.Id);
            _entries[place] = null;
            _freePlaces.Push(place);
            Debug.Assert(_freePlaces.Count <= _usedPlaceCount, "A place becomes free once.");
            return true;
        }
    }

    /// <summary>The entry with this number; null if it was removed.</summary>
    public EventEntry? Find(ulong id)
    {
        EventEntry?[] entries = Volatile.Read(ref _entries);
        int place = PlaceOf(id);
        if ((uint)place >= (uint)entries.Length) return null;
        EventEntry? entry = Volatile.Read(ref entries[place]);
        return entry is not null && entry.Id == id ? entry : null;
    }

    public bool Contains(EventEntry entry) => entry.Id != 0 && Find(entry.Id) == entry;

    private static int PlaceOf(ulong id) => (int)((uint)id - 1);
}
