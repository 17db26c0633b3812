using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// Readiness of sockets of the Portable backend, which uses only System.Net.Sockets: an asynchronous receive of one
/// byte peeks at the next datagram without taking it. A longer datagram is reported as truncated or as MessageSize;
/// both mean that a datagram is there. A send that finds the buffer full waits on a thread of the pool, which is rare
/// with UDP. The error queue may also contain entries that are not errors (time stamps of sends). The runtime does not
/// report these entries, and they take room in the receive buffer. If such entries may exist, waiting calls are
/// therefore tried again periodically, and each try empties the queue.
/// </summary>
internal sealed class PeekReadiness : SocketReadiness, IThreadPoolWorkItem
{
    private const int SendWaitMicroseconds = 100_000;
    private const int LaterMilliseconds = 1;

    // The same interval as in a blocking call of this backend (PortableWait).
    private const int ErrorQueueMilliseconds = 100;

    private readonly SocketContext? _context;
    private readonly Socket _socket;
    private readonly Action<ReadyEvents> _ready;
    private readonly Action _finishPeek;
    private readonly byte[] _peeked = GC.AllocateArray<byte>(1, pinned: true);
    private readonly SocketAddress _address;
    private readonly Timer _later;
    private readonly SocketCloser _closer;
    private ConfiguredValueTaskAwaitable<int>.ConfiguredValueTaskAwaiter _pending;
    private CancellationTokenSource _stop = new();
    private int _reading;
    private int _writing;
    private volatile bool _hasWaiting = true;
    private volatile bool _disposed;

    /// <param name="socket">The socket.</param>
    /// <param name="ready">The callback.</param>
    /// <param name="context">
    /// The socket's context, which knows whether errors may be queued. Null in a poller on a system without an error
    /// queue.
    /// </param>
    public PeekReadiness(Socket socket, Action<ReadyEvents> ready, SocketContext? context = null)
    {
        _socket = socket;
        _context = context;
        _closer = new SocketCloser(socket);
        _ready = ready;
        _address = new SocketAddress(socket.AddressFamily);

        // The delegate is created once and the awaiter is kept in a field, because an async method would allocate its
        // state at every wait.
        _finishPeek = FinishPeek;

        // The timer belongs to the socket, so it must not capture the execution context of the call that creates it.
        using AsyncFlowControl flow = ExecutionContext.IsFlowSuppressed() ? default : ExecutionContext.SuppressFlow();
        _later = new Timer(
            static self => ((PeekReadiness)self!).CallLater(), this, Timeout.Infinite, Timeout.Infinite);
    }

    /// <inheritdoc/>
    public override void Request(ReadyEvents events)
    {
        if ((events & ReadyEvents.Readable) != ReadyEvents.None)
        {
            if (Interlocked.Exchange(ref _reading, 1) == 0) Peek();
            if (_context is { MayQueueErrors: true }) CallAfter(ErrorQueueMilliseconds);
        }

        if ((events & ReadyEvents.Writable) != ReadyEvents.None && Interlocked.Exchange(ref _writing, 1) == 0)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static self => self.WaitWritable(), this, preferLocal: false);
        }
    }

    /// <inheritdoc/>
    public override void RequestLater(ReadyEvents events) => CallAfter(LaterMilliseconds);

    /// <inheritdoc/>
    public override void KeepAlive(bool hasWaiting)
    {
        // While a peek is running, the runtime references the socket. If no call waits any more, the peek is ended, so
        // that the socket can be collected. That is rare: usually the calls end because the peek has ended.
        _hasWaiting = hasWaiting;
        Interlocked.MemoryBarrier();
        if (!hasWaiting && Volatile.Read(ref _reading) != 0) EndPeeks(Volatile.Read(ref _stop));
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        _disposed = true;
        EndPeeks(Volatile.Read(ref _stop));
        _later.Dispose();
        _closer.SetHandleAsInvalid();
    }

    /// <summary>Finishes a peek that ended at once, on a thread of the pool.</summary>
    void IThreadPoolWorkItem.Execute() => FinishPeek();

    private void CallAfter(int milliseconds)
    {
        try
        {
            _later.Change(milliseconds, Timeout.Infinite);
        }
        catch (ObjectDisposedException)
        {
            // The socket was closed meanwhile, so no callback is needed any more.
        }
    }

    private void CallLater()
    {
        if (!_disposed) _ready(ReadyEvents.Readable | ReadyEvents.Writable);
    }

    // Cancels the running peek. The cancellation source is replaced first, so that the next peek is not cancelled too.
    private void EndPeeks(CancellationTokenSource stop)
    {
        Interlocked.CompareExchange(ref _stop, new CancellationTokenSource(), stop);
        stop.Cancel();
    }

    private void Peek()
    {
        CancellationTokenSource stop = Volatile.Read(ref _stop);
        try
        {
            // The awaiter is kept in a field, and its result is taken exactly once, as rule CA2012 requires.
#pragma warning disable CA2012
            _pending = _socket.ReceiveFromAsync(_peeked, SocketFlags.Peek, _address, stop.Token)
                .ConfigureAwait(false).GetAwaiter();
#pragma warning restore CA2012
        }
        catch (Exception fault) when (IsExpected(fault))
        {
            NoteIcmpError(fault as SocketException);
            _pending = default;
        }

        // KeepAlive or Dispose may have cancelled too early to reach this peek, so it is cancelled here.
        if (_disposed || !_hasWaiting) EndPeeks(stop);

        // If the peek has ended at once, a thread of the pool finishes it. On this stack the callback would start the
        // next peek, and with a lasting error each peek ends at once, so the calls would nest without end.
        if (_pending.IsCompleted) ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        else _pending.UnsafeOnCompleted(_finishPeek);
    }

    private void FinishPeek()
    {
        try
        {
            _pending.GetResult();
        }
        catch (SocketException fault)
        {
            // MessageSize means success: a datagram longer than the one-byte buffer is there. The next receive will get
            // and report any other error. ICMP errors are the exception: the system reports them only once, so note
            // them here.
            NoteIcmpError(fault);
        }
        catch (Exception fault) when (IsExpected(fault))
        {
            // The socket is being closed, or no call waits any more.
        }

        EndPeek();
    }

    // Counts and notes an ICMP error. The system reports it only once: a receive after the peek does not get it again.
    private void NoteIcmpError(SocketException? fault)
    {
        if (fault?.SocketErrorCode is not (SocketError.ConnectionRefused or SocketError.ConnectionReset)) return;
        _context?.Counters.CountIcmpError();
        _context?.NoteIcmpError(fault.SocketErrorCode);
    }

    private void EndPeek()
    {
        Volatile.Write(ref _reading, 0);
        if (!_disposed) _ready(ReadyEvents.Readable);
    }

    private static bool IsExpected(Exception fault) =>
        fault is SocketException or ObjectDisposedException or OperationCanceledException;

    private void WaitWritable()
    {
        try
        {
            _socket.Poll(SendWaitMicroseconds, SelectMode.SelectWrite);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // The next send gets the same error and reports it.
        }

        Volatile.Write(ref _writing, 0);
        if (!_disposed) _ready(ReadyEvents.Writable);
    }

    /// <summary>
    /// Closes the socket if the readiness is collected without being disposed. On Unix, after an asynchronous call was
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
