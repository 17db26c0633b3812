using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The event set of systems without epoll; uses only System.Net.Sockets. For each requested socket, an asynchronous
/// receive of one byte peeks at the next datagram without taking it, and its end wakes a waiting thread. A longer
/// datagram is reported as truncated or as MessageSize; both mean that a datagram is there. A send that finds the
/// buffer full waits on a thread of the pool, which is rare with UDP.
/// </summary>
internal sealed class PortableEventSet(bool isShared) : EventSet
{
    private const int SendWaitMicroseconds = 100_000;

    private static readonly ConditionalWeakTable<SocketContext, SocketCloser> Closers = [];

    // Guards all state, also that of the entries. Threads that wait sleep on it.
    private readonly object _lock = new();
    private readonly HashSet<EventEntry> _entries = [];
    private readonly Queue<EventEntry> _ready = new();
    private bool _isSignalled;
    private bool _isClosed;

    /// <inheritdoc/>
    public override int Count
    {
        get
        {
            lock (_lock) return _entries.Count;
        }
    }

    /// <inheritdoc/>
    public override EventEntry[] All()
    {
        lock (_lock) return [.. _entries];
    }

    /// <inheritdoc/>
    public override void Add(EventEntry entry, EventTrigger trigger)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            entry.Trigger = trigger;
            entry.Peek ??= new Peek(this, entry);
            _entries.Add(entry);
        }

        if (trigger == EventTrigger.Edge) Request(entry, ReadyEvents.Readable);
    }

    /// <inheritdoc/>
    public override void Request(EventEntry entry, ReadyEvents events)
    {
        Peek peek;
        CancellationToken stop;
        lock (_lock)
        {
            if (_isClosed || !_entries.Contains(entry)) return;
            peek = entry.Peek!;
            events &= ~(peek.Requested | peek.Happened);
            peek.Requested |= events;
            stop = peek.Stop.Token;
        }

        if ((events & ReadyEvents.Readable) != ReadyEvents.None) peek.Start(stop);
        if ((events & ReadyEvents.Writable) != ReadyEvents.None)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static peek => peek.WaitWritable(), peek, preferLocal: false);
        }
    }

    /// <inheritdoc/>
    public override void Withdraw(EventEntry entry)
    {
        // While a peek is running, the runtime references the socket, so the peek is cancelled. That is rare: usually
        // nobody waits any more because the peek has ended.
        CancellationTokenSource stop;
        lock (_lock)
        {
            if (entry.Peek is not { } peek || (peek.Requested & ReadyEvents.Readable) == ReadyEvents.None) return;
            stop = peek.Stop;
            peek.Stop = new CancellationTokenSource();
        }

        stop.Cancel();
    }

    /// <inheritdoc/>
    public override void Remove(EventEntry entry)
    {
        if (Forget(entry)) Withdraw(entry);
    }

    /// <inheritdoc/>
    public override bool Forget(EventEntry entry)
    {
        lock (_lock)
        {
            if (!_entries.Remove(entry)) return false;
            entry.Peek!.Happened = ReadyEvents.None;
            return true;
        }
    }

    /// <inheritdoc/>
    public override int Wait(
        Span<EventEntry> ready, Span<ReadyEvents> events, int timeoutMilliseconds, out bool isSignalled)
    {
        RequireRoom(ready, events);
        int found;
        lock (_lock)
        {
            found = Take(ready, events);
            if (HasLater) timeoutMilliseconds = Deadline.Shorter(timeoutMilliseconds, LaterMilliseconds);
            if (found == 0 && !_isSignalled && !_isClosed && timeoutMilliseconds != 0)
            {
                // Waits once, not in a loop: the caller checks why the wait ended, and how much time is left.
                Monitor.Wait(_lock, timeoutMilliseconds);
                found = Take(ready, events);
            }

            isSignalled = _isSignalled;
            if (!isShared) _isSignalled = false;
        }

        return HasLater ? TakeLater(ready, events, found) : found;
    }

    /// <inheritdoc/>
    public override void Signal()
    {
        lock (_lock)
        {
            _isSignalled = true;
            Monitor.PulseAll(_lock);
        }
    }

    /// <inheritdoc/>
    public override void EndSignal()
    {
        lock (_lock) _isSignalled = false;
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        lock (_lock)
        {
            _isClosed = true;
            _ready.Clear();
            Monitor.PulseAll(_lock);
        }

        foreach (EventEntry entry in All()) Withdraw(entry);
    }

    private int Take(Span<EventEntry> ready, Span<ReadyEvents> events)
    {
        Debug.Assert(Monitor.IsEntered(_lock));
        int found = 0;
        while (found < ready.Length && _ready.TryDequeue(out EventEntry? entry))
        {
            // The entry was removed after the event.
            if (entry.Peek!.Happened == ReadyEvents.None) continue;
            if (!events.IsEmpty) events[found] = entry.Peek.Happened;
            entry.Peek.Happened = ReadyEvents.None;
            ready[found++] = entry;
        }

        return found;
    }

    private void Report(EventEntry entry, ReadyEvents happened)
    {
        lock (_lock)
        {
            Peek peek = entry.Peek!;
            Debug.Assert((peek.Requested & happened) == happened, "Each request is reported once.");
            peek.Requested &= ~happened;
            if (_isClosed || !_entries.Contains(entry)) return;
            if (peek.Happened == ReadyEvents.None) _ready.Enqueue(entry);
            peek.Happened |= happened;
            Monitor.Pulse(_lock);
        }
    }

    /// <summary>The requests and the events of an entry, and the receive that peeks.</summary>
    internal sealed class Peek
    {
        private readonly PortableEventSet _set;
        private readonly EventEntry _entry;
        private readonly Action _end;
        private readonly byte[] _peeked = GC.AllocateArray<byte>(1, pinned: true);
        private readonly SocketAddress _address;
        private ConfiguredValueTaskAwaitable<int>.ConfiguredValueTaskAwaiter _pending;

        public Peek(PortableEventSet set, EventEntry entry)
        {
            SocketContext context = entry.Context!;
            _set = set;
            _entry = entry;
            _address = new SocketAddress(context.Socket.AddressFamily);

            // The delegate is created once and the awaiter is kept in a field, because an async method would allocate
            // its state at every wait.
            _end = End;
            Closers.GetValue(context, static context => new SocketCloser(context.Socket));
        }

        public ReadyEvents Requested { get; set; }

        public ReadyEvents Happened { get; set; }

        /// <summary>Cancels the running peek. Replaced when it is used.</summary>
        public CancellationTokenSource Stop { get; set; } = new();

        public void Start(CancellationToken stop)
        {
            try
            {
                // The awaiter is kept in a field, and its result is taken exactly once, as rule CA2012 requires.
#pragma warning disable CA2012
                if (_entry.Context is { } context)
                {
                    _pending = context.Socket.ReceiveFromAsync(_peeked, SocketFlags.Peek, _address, stop)
                        .ConfigureAwait(false).GetAwaiter();
                }
#pragma warning restore CA2012
            }
            catch (Exception fault) when (IsExpected(fault))
            {
                NoteIcmpError(fault);
            }

            if (_pending.IsCompleted) End();
            else _pending.UnsafeOnCompleted(_end);
        }

        public void WaitWritable()
        {
            try
            {
                _entry.Context?.Socket.Poll(SendWaitMicroseconds, SelectMode.SelectWrite);
            }
            catch (Exception fault) when (IsExpected(fault))
            {
                // The next send gets the same error and reports it.
            }

            _set.Report(_entry, ReadyEvents.Writable);
        }

        private void End()
        {
            // The awaiter references the socket, which must not outlive the peek.
            ConfiguredValueTaskAwaitable<int>.ConfiguredValueTaskAwaiter ended = _pending;
            _pending = default;
            try
            {
                ended.GetResult();
            }
            catch (Exception fault) when (IsExpected(fault))
            {
                // MessageSize means success: a datagram longer than the one-byte buffer is there. The next receive will
                // get and report any other error. If the peek was cancelled, nobody waits.
                NoteIcmpError(fault);
            }

            _set.Report(_entry, ReadyEvents.Readable);
        }

        // Counts and notes an ICMP error. The system reports it only once: a receive after the peek does not get it
        // again.
        private void NoteIcmpError(Exception fault)
        {
            SocketError? error = (fault as SocketException)?.SocketErrorCode;
            if (error is not (SocketError.ConnectionRefused or SocketError.ConnectionReset)) return;
            _entry.Context?.Counters.CountIcmpError();
            _entry.Context?.NoteIcmpError(error.Value);
        }

        private static bool IsExpected(Exception fault) =>
            fault is SocketException or ObjectDisposedException or OperationCanceledException;
    }

    /// <summary>
    /// Closes a socket that was not disposed, once its context is collected. On Unix, after an asynchronous call was
    /// cancelled, the runtime references the socket until the next event of the socket. So the socket's own finalizer
    /// may never run.
    /// </summary>
    private sealed class SocketCloser : SafeHandle
    {
        private const int None = 0;
        private const int Some = 1;

        private readonly Socket _socket;

        public SocketCloser(Socket socket)
            : base(None, ownsHandle: true)
        {
            _socket = socket;
            SetHandle(Some);
        }

        /// <inheritdoc/>
        public override bool IsInvalid => handle == None;

        /// <inheritdoc/>
        protected override bool ReleaseHandle()
        {
            _socket.Dispose();
            return true;
        }
    }
}
