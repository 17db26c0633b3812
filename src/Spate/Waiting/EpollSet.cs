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

    /// <summary>Its number in the set: never 0, and never given to another entry, unlike a descriptor.</summary>
    public ulong Id { get; set; }
}

/// <summary>
/// One epoll instance: descriptors that threads wait for, an eventfd that ends waits, and entries to look at again a
/// little later. Whatever waits by epoll waits here: the thread of all awaited calls, the threads of a poller, and each
/// thread of a server. Any thread may call any member at any time. A set that several threads wait in closes its
/// descriptors only after the last call has left; a set that one thread waits in is closed after its last use.
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

    // Null where one thread waits: that set is closed by the caller after its last use, and the threads that change it
    // while the other waits should not contend for a gate with it.
    private readonly CallGate? _gate;
    private readonly SafeFileHandle _epoll;
    private readonly WakeDescriptor? _wake;
    private readonly ConcurrentQueue<TEntry> _later = new();
    private long _laterTakenTimestamp;

    // The low half of an entry's number is its place here plus 1, used again after it; the high half counts up, so that
    // the number of an entry that was removed finds nothing. Finding takes no lock.
    private readonly Lock _entriesLock = new();
    private readonly Stack<int> _freePlaces = new();
    private TEntry?[] _entries = new TEntry?[InitialPlaceCount];
    private int _usedPlaceCount;
    private uint _generation;

    /// <param name="isShared">
    /// Whether several threads wait. Then a signal ends all waits until <see cref="EndSignal"/>; otherwise it ends the
    /// one that is under way or the next one, and nothing needs to be taken back.
    /// </param>
    /// <exception cref="System.Net.Sockets.SocketException">No descriptor is free.</exception>
    public EpollSet(bool isShared)
    {
        if (isShared) _gate = new CallGate();
        _epoll = new SafeFileHandle(Check(Epoll.epoll_create1(Epoll.EPOLL_CLOEXEC)), ownsHandle: true);
        try
        {
            // By edge each write is reported once, without a read; the 64-bit count does not overflow (eventfd.2).
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

    /// <summary>Entries that were added and not removed.</summary>
    public int Count
    {
        get
        {
            lock (_entriesLock) return _usedPlaceCount - _freePlaces.Count;
        }
    }

    /// <summary>Whether entries wait to be looked at again.</summary>
    public bool HasLater => !_later.IsEmpty;

    public TEntry[] All()
    {
        lock (_entriesLock) return [.. _entries.OfType<TEntry>()];
    }

    /// <summary>Adds an entry and gives it its number.</summary>
    /// <param name="entry">An entry that is in no set.</param>
    /// <param name="events">The events to report, and how (epoll_ctl.2).</param>
    /// <exception cref="System.Net.Sockets.SocketException">The system refused.</exception>
    /// <exception cref="ObjectDisposedException">The set is closed.</exception>
    public void Add(TEntry entry, uint events)
    {
        ObjectDisposedException.ThrowIf(!TryEnter(), this);
        try
        {
            // Before the kernel knows the descriptor: an event may come at once.
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

    /// <summary>Removes an entry, whose descriptor must still be open. Does nothing if the entry is not here.</summary>
    public void Remove(TEntry entry)
    {
        if (!Forget(entry) || !TryEnter()) return;
        byte* unused = stackalloc byte[MaxEventBytes];

        // SAFETY: the kernel does not read the event of a removal (epoll_ctl.2). If the call fails, the descriptor was
        // closed elsewhere and is in no set any more.
        Epoll.epoll_ctl(Number, Epoll.EPOLL_CTL_DEL, entry.Descriptor, unused);
        Leave();
    }

    /// <summary>
    /// Removes an entry whose descriptor is closed, and with that out of the set (epoll.7): its number may be another
    /// file's by now.
    /// </summary>
    /// <returns>False if the entry is not here.</returns>
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
    /// Lets a wait report the entry once after about a millisecond, as if everything had happened: for a shortage that
    /// has no event. Entries that come back each time are reported once in a millisecond, so they keep no thread busy.
    /// A wait that is under way does not notice; <see cref="Signal"/> ends it.
    /// </summary>
    public void AddLater(TEntry entry) => _later.Enqueue(entry);

    /// <summary>Waits until something is reported, the time is over, a signal came or the set is closed.</summary>
    /// <param name="ready">Receives the entries.</param>
    /// <param name="events">
    /// Receives the events of each entry; as long as <paramref name="ready"/>, or empty if not needed.
    /// </param>
    /// <param name="timeoutMilliseconds">-1: without end.</param>
    /// <param name="isSignalled">Whether there was a signal.</param>
    /// <returns>How many entries there are, possibly 0 before the time is over.</returns>
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

            // SAFETY: there is room for as many events as are asked for, on this thread's stack.
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

    /// <summary>Ends waits, see the constructor.</summary>
    public void Signal()
    {
        if (!TryEnter()) return;
        _wake!.Signal();
        Leave();
    }

    /// <summary>Ends the signal of a set that several threads wait in.</summary>
    public void EndSignal()
    {
        if (!TryEnter()) return;
        _wake!.Reset();
        Leave();
    }

    /// <summary>Closes the set. Where several threads wait, the caller signals them, and this returns after the last
    /// wait has ended.</summary>
    public void Dispose()
    {
        const int patienceMilliseconds = 100;
        if (_gate?.Close() == false) return;
        while (_gate?.WaitEmpty(patienceMilliseconds) == false)
        {
            // Whether it takes one look or several, the signal stays until all have left.
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

        // SAFETY: the event has room on every machine; the kernel copies it during the call.
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
