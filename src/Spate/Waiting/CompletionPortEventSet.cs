using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Windows;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The event set of Windows: a completion port. Threads wait in GetQueuedCompletionStatusEx, and everything that
/// happens is a packet that this set posts to its port.
/// </summary>
/// <remarks>
/// An entry's descriptor is either an event handle, for which the system's thread pool waits (<see cref="EventWait"/>),
/// or the socket, for which the runtime waits (<see cref="Peek"/>). Both waits run only while the entry is requested,
/// and each ends with one report. A packet names its entry by the number that <see cref="EntryTable"/> gave it, so a
/// late packet of a removed entry finds nothing. As with epoll, of the sets of several threads that share a socket one
/// gets the event, and passes it on if its thread does not wait at that moment.
/// </remarks>
internal sealed unsafe class CompletionPortEventSet : EventSet, IReportSink
{
    private const nuint WakeKey = 0;

    // The port never keeps a thread back because others run: each thread that waits here has something to do. The
    // system's limit is the number of processors otherwise.
    private const uint ThreadCount = ushort.MaxValue;

    // Packets are read into the waiting thread's stack.
    private const int MaxPacketCount = 256;

    private readonly bool _isShared;
    private readonly CallGate _gate = new();
    private readonly SafeFileHandle _port;
    private readonly EntryTable _entries = new();

    // Guards the requests and events of the entries. A thread of the system's pool takes it, so nobody who has it waits
    // for the end of such a thread.
    private readonly Lock _lock = new();
    private int _waitingCount;
    private int _isSignalled;

    // Whether the port has a packet that wakes, or a thread has just taken it.
    private int _hasWakePacket;

    /// <inheritdoc cref="EventSet.Create"/>
    public CompletionPortEventSet(bool isShared)
    {
        _isShared = isShared;
        nint port = IoApiSet.CreateIoCompletionPort(IoApiSet.InvalidHandleValue, 0, 0, ThreadCount);
        if (port == 0) throw new SocketException(Marshal.GetLastPInvokeError());
        _port = new SafeFileHandle(port, ownsHandle: true);
    }

    /// <inheritdoc/>
    public override int Count => _entries.Count;

    private nint Port => _port.DangerousGetHandle();

    /// <inheritdoc/>
    public override EventEntry[] All() => _entries.All();

    /// <inheritdoc/>
    public override void Add(EventEntry entry, EventTrigger trigger)
    {
        ObjectDisposedException.ThrowIf(!_gate.TryEnter(), this);
        try
        {
            entry.Trigger = trigger;
            if (entry.Descriptor == entry.Context!.Descriptor) entry.Peek ??= new Peek(this, entry);
            else entry.EventWait = new EventWait(this, entry);
            lock (_lock)
            {
                // The runtime may still wait for the socket since the entry was removed.
                if (entry.EventWait is not null) entry.Requested = ReadyEvents.None;
                entry.Happened = ReadyEvents.None;
                _entries.Add(entry);
            }
        }
        finally
        {
            _gate.Leave();
        }

        if (trigger == EventTrigger.Edge) Request(entry, ReadyEvents.Readable);
    }

    /// <inheritdoc/>
    public override void Request(EventEntry entry, ReadyEvents events)
    {
        if (!_gate.TryEnter()) return;
        try
        {
            CancellationToken stop = default;
            EventWait? wait;
            lock (_lock)
            {
                if (!_entries.Contains(entry)) return;
                events &= ~(entry.Requested | entry.Happened);
                entry.Requested |= events;
                if (entry.Peek is { } peek) stop = peek.Stop.Token;

                // Another thread may remove the entry from now on; its wait then ignores the start.
                wait = entry.EventWait;
            }

            if (wait is null) entry.Peek!.Start(events, stop);
            else if (events != ReadyEvents.None) wait.Start();
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <inheritdoc/>
    public override void Withdraw(EventEntry entry)
    {
        CancellationTokenSource? stop = null;
        lock (_lock)
        {
            if ((entry.Requested & ReadyEvents.Readable) == ReadyEvents.None) return;
            if (entry.Peek is { } peek)
            {
                // While a peek is running, the runtime references the socket, so the peek is cancelled. That is rare:
                // usually nobody waits any more because the peek has ended.
                stop = peek.Stop;
                peek.Stop = new CancellationTokenSource();
            }
            else
            {
                entry.Requested = ReadyEvents.None;
                entry.EventWait?.Stop();
            }
        }

        stop?.Cancel();
    }

    /// <inheritdoc/>
    public override void Remove(EventEntry entry)
    {
        if (!Forget(entry)) return;
        if (entry.Peek is not null) Withdraw(entry);
    }

    /// <inheritdoc/>
    public override bool Forget(EventEntry entry)
    {
        EventWait? wait;
        lock (_lock)
        {
            if (!_entries.Remove(entry)) return false;
            entry.Happened = ReadyEvents.None;
            wait = entry.EventWait;
            entry.EventWait = null;
        }

        wait?.Dispose();
        return true;
    }

    /// <inheritdoc/>
    [SkipLocalsInit]
    public override int Wait(
        Span<EventEntry> ready, Span<ReadyEvents> events, int timeoutMilliseconds, out bool isSignalled)
    {
        isSignalled = false;
        RequireRoom(ready, events);
        if (!_gate.TryEnter()) return 0;
        int roomCount = Math.Min(ready.Length, MaxPacketCount);
        OVERLAPPED_ENTRY* packets = stackalloc OVERLAPPED_ENTRY[roomCount];
        try
        {
            if (HasLater) timeoutMilliseconds = Deadline.Shorter(timeoutMilliseconds, LaterMilliseconds);
            uint count = Dequeue(packets, roomCount, timeoutMilliseconds);
            int found = Take(new ReadOnlySpan<OVERLAPPED_ENTRY>(packets, (int)count), ready, events);
            isSignalled = EndSignalUnlessShared();
            return HasLater ? TakeLater(ready, events, found) : found;
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <inheritdoc/>
    public override void Signal()
    {
        if (!_gate.TryEnter()) return;
        Interlocked.Exchange(ref _isSignalled, 1);
        PostWakePacket();
        _gate.Leave();
    }

    /// <inheritdoc/>
    public override void EndSignal() => Interlocked.Exchange(ref _isSignalled, 0);

    /// <inheritdoc/>
    public override void Dispose()
    {
        const int patienceMilliseconds = 100;
        if (!_gate.Close()) return;
        while (!_gate.WaitEmpty(patienceMilliseconds))
        {
            // Each waiting thread passes the packet of the signal on, so it need not be repeated.
        }

        foreach (EventEntry entry in All())
        {
            entry.EventWait?.Dispose();
            Withdraw(entry);
        }

        _port.Dispose();
    }

    /// <inheritdoc/>
    public void Report(EventEntry entry, ReadyEvents happened)
    {
        bool isInside = _gate.TryEnter();
        ulong id = 0;
        lock (_lock)
        {
            // An event may be reported although it was withdrawn at the same time.
            entry.Requested &= ~happened;
            if (isInside && _entries.Contains(entry))
            {
                if (entry.Happened == ReadyEvents.None) id = entry.Id;
                entry.Happened |= happened;
            }
        }

        if (!isInside) return;
        if (id != 0 && !TryPost(id))
        {
            lock (_lock) entry.Happened = ReadyEvents.None;
            RequestLater(entry);
        }

        if (entry.Trigger == EventTrigger.Edge && !_isShared && Volatile.Read(ref _waitingCount) == 0)
        {
            entry.EventWait?.PassOn();
        }

        _gate.Leave();
    }

    private uint Dequeue(OVERLAPPED_ENTRY* packets, int roomCount, int timeoutMilliseconds)
    {
        uint count = 0;
        Interlocked.Increment(ref _waitingCount);

        // Counted before the signal is read: a signal either is seen here, or wakes this thread.
        if (Volatile.Read(ref _isSignalled) != 0) timeoutMilliseconds = 0;

        // SAFETY: the array is on this thread's stack, and has room for as many packets as the call may take. An
        // infinite wait is -1 as a signed number and 2^32 - 1 as an unsigned one.
        int isFilled = IoApiSet.GetQueuedCompletionStatusEx(
            Port, packets, (uint)roomCount, &count, unchecked((uint)timeoutMilliseconds), alertable: 0);
        Interlocked.Decrement(ref _waitingCount);
        return isFilled != 0 ? count : 0;
    }

    private int Take(ReadOnlySpan<OVERLAPPED_ENTRY> packets, Span<EventEntry> ready, Span<ReadyEvents> events)
    {
        if (packets.IsEmpty) return 0;
        int found = 0;
        bool isWoken = false;
        lock (_lock)
        {
            foreach (ref readonly OVERLAPPED_ENTRY packet in packets)
            {
                if (packet.lpCompletionKey == WakeKey)
                {
                    isWoken = true;
                    continue;
                }

                ulong id = ((ulong)packet.dwNumberOfBytesTransferred << 32) | packet.lpCompletionKey;
                if (_entries.Find(id) is not { } entry || entry.Happened == ReadyEvents.None) continue;
                if (!events.IsEmpty) events[found] = entry.Happened;
                entry.Happened = ReadyEvents.None;
                ready[found++] = entry;
            }
        }

        if (isWoken) OnWakePacket();
        return found;
    }

    // Passes the packet on to the next waiting thread, as long as the signal of a shared set lasts.
    private void OnWakePacket()
    {
        Interlocked.Exchange(ref _hasWakePacket, 0);
        if (_isShared && Volatile.Read(ref _isSignalled) != 0) PostWakePacket();
    }

    private bool EndSignalUnlessShared() =>
        (_isShared ? Volatile.Read(ref _isSignalled) : Interlocked.Exchange(ref _isSignalled, 0)) != 0;

    private void PostWakePacket()
    {
        if (Interlocked.Exchange(ref _hasWakePacket, 1) != 0) return;
        if (IoApiSet.PostQueuedCompletionStatus(Port, 0, WakeKey, null) == 0) Volatile.Write(ref _hasWakePacket, 0);
    }

    private bool TryPost(ulong id)
    {
        Debug.Assert((uint)id != 0, "The key of the packet that wakes is 0.");
        return IoApiSet.PostQueuedCompletionStatus(Port, (uint)(id >> 32), (uint)id, null) != 0;
    }
}
