using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// Readiness on operating systems where System.Net.Sockets is the only way: an asynchronous receive of one byte that
/// looks at the next datagram without taking it. A longer datagram is reported as truncated or as MessageSize; both
/// mean that it is there. Sends that find the buffer full wait on a thread of the pool, which UDP sends seldom do. The
/// runtime does not report entries of the error queue without an error (time stamps of sends), which take room of the
/// receive buffer. If such entries may exist, waiting calls are tried again periodically, and each try empties the
/// queue.
/// </summary>
internal sealed class PeekReadiness : SocketReadiness, IThreadPoolWorkItem
{
    private const int SendWaitMicroseconds = 100_000;
    private const int LaterMilliseconds = 1;

    // As often as a blocking call of this backend looks (PortableWait).
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
    /// <param name="context">Knows whether errors may be queued; null if the system has no such queue.</param>
    public PeekReadiness(Socket socket, Action<ReadyEvents> ready, SocketContext? context = null)
    {
        _socket = socket;
        _context = context;
        _closer = new SocketCloser(socket);
        _ready = ready;
        _address = new SocketAddress(socket.AddressFamily);

        // The delegate is made once and the awaiter kept in a field: an async method would allocate its state at every
        // wait.
        _finishPeek = FinishPeek;

        // The timer serves the socket, not the call that happened to make it.
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
        // The runtime refers to the socket while a peek is under way, so a peek without waiting calls is ended. That
        // is rare: mostly the end of the peek ends the calls.
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

    /// <summary>Continues after a peek that ended at once, on a thread of the pool.</summary>
    void IThreadPoolWorkItem.Execute() => FinishPeek();

    private void CallAfter(int milliseconds)
    {
        try
        {
            _later.Change(milliseconds, Timeout.Infinite);
        }
        catch (ObjectDisposedException)
        {
            // The socket was closed meanwhile, and no callback starts any more.
        }
    }

    private void CallLater()
    {
        if (!_disposed) _ready(ReadyEvents.Readable | ReadyEvents.Writable);
    }

    // The source is replaced first, so that the next peek does not end as well.
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
            // The awaiter is kept and its result taken exactly once, as the rule asks.
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

        // A call that ended the peeks meanwhile may have come too early for this one.
        if (_disposed || !_hasWaiting) EndPeeks(stop);

        // Not on this stack: the callback requests again, and a fault that lasts would end each peek at once.
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
            // MessageSize: a datagram is there. The next receive meets and reports any other fault, except those noted
            // here.
            NoteIcmpError(fault);
        }
        catch (Exception fault) when (IsExpected(fault))
        {
            // The socket is being closed, or no call waits any more.
        }

        EndPeek();
    }

    // The system reports an ICMP error only once: after a peek returned the error, no receive does.
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
            // The send that follows meets the same fault and reports it.
        }

        Volatile.Write(ref _writing, 0);
        if (!_disposed) _ready(ReadyEvents.Writable);
    }

    /// <summary>
    /// Closes the socket when the readiness was collected without being disposed. On Unix the runtime keeps a socket
    /// whose asynchronous call was cancelled until its next event, so the socket's own finalizer may never run.
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
