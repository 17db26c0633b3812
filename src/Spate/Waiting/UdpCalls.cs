using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The calls of one socket, as both the blocking and the awaitable forms need them: staged where the backend wants it,
/// and with the pools of operations for those that wait. The caller is inside the socket's gate.
/// </summary>
internal sealed class UdpCalls : IDisposable
{
    private readonly DatagramBackend _backend;
    private readonly SocketContext _context;
    private readonly CallGate _gate;
    private readonly StagedReceiver? _staged;
    private readonly Lock _pendingLock = new();
    private PendingOperations? _pending;
    private OperationPool<ReceiveOneOperation>? _receiveOnes;
    private OperationPool<ReceiveBatchOperation>? _receiveBatches;
    private OperationPool<ReadableOperation>? _readables;
    private OperationPool<SendOneOperation>? _sendOnes;
    private OperationPool<SendBatchOperation>? _sendBatches;
    private bool _closed;

    public UdpCalls(DatagramBackend backend, SocketContext context, CallGate gate)
    {
        _backend = backend;
        _context = context;
        _gate = gate;
        if (backend.NeedsStaging) _staged = new StagedReceiver(backend, context);
    }

    public bool Inline => _context.Options.InlineContinuations;

    public OperationPool<ReceiveOneOperation> ReceiveOnes => Made(ref _receiveOnes);

    public OperationPool<ReceiveBatchOperation> ReceiveBatches => Made(ref _receiveBatches);

    public OperationPool<ReadableOperation> Readables => Made(ref _readables);

    public OperationPool<SendOneOperation> SendOnes => Made(ref _sendOnes);

    public OperationPool<SendBatchOperation> SendBatches => Made(ref _sendBatches);

    /// <summary>
    /// Made at the first call that waits, so a socket that never awaits costs the readiness thread nothing.
    /// </summary>
    public PendingOperations Pending
    {
        get
        {
            if (Volatile.Read(ref _pending) is { } pending) return pending;
            lock (_pendingLock)
            {
                if (_pending is not null) return _pending;
                PendingOperations created = new(_backend, _context, _gate);

                // A call that entered the gate just before Close: it must end as closed, not wait for ever.
                if (_closed) created.Dispose();
                return _pending = created;
            }
        }
    }

    /// <summary>Whether awaited sends wait already; another one queues behind them.</summary>
    public bool HasWaitingSends => Volatile.Read(ref _pending) is { HasWrites: true };

    /// <summary>Whether an awaited send has to wait for room.</summary>
    public static bool MustWait(in SendResult result) => result.Status is SendStatus.TimedOut or SendStatus.NoBuffers;

    public static SendResult Sum(in SendResult first, in SendResult second) => second with
    {
        Sent = first.Sent + second.Sent,
        Refused = first.Refused + second.Refused,
        FirstError = first.FirstError != SocketError.Success ? first.FirstError : second.FirstError,
    };

    public ReceiveStatus Receive(ReceiveBatch batch, int timeoutMilliseconds)
    {
        batch.Use.Enter();
        try
        {
            return _staged is null
                ? _backend.Receive(batch, timeoutMilliseconds)
                : _staged.Receive(batch, timeoutMilliseconds);
        }
        finally
        {
            batch.Use.Leave();
        }
    }

    /// <summary>For warming the caches.</summary>
    public int Peek() => _staged is { HasAny: true } || _context.IsClosed || _context.IsIPv6 ? 1 : 0;

    /// <summary>
    /// As a receive that does not wait, and tells whether everything was taken: a call that gets less than it has room
    /// for has met the end, except on a socket that hears of ICMP errors. One of those ends a call too, with datagrams
    /// behind it. The caller holds the batch.
    /// </summary>
    public ReceiveStatus TryReceiveReady(ReceiveBatch batch, out bool isDrained)
    {
        isDrained = false;
        if (_staged is { HasAny: true } && _staged.TryMoveInto(batch)) return ReceiveStatus.Received;
        ReceiveStatus status = _backend.Receive(batch, 0);
        if (status == ReceiveStatus.Received)
        {
            isDrained = batch.UsedSlotCount < batch.SlotCount && !_context.HearsOfIcmp && _backend.ShortMeansDrained;
            return status;
        }

        isDrained = status == ReceiveStatus.Closed || !_context.RetryReceiveLater;
        _context.RetryReceiveLater = false;
        return status;
    }

    public ReceiveStatus ReceiveOne(Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        if (_staged is null) return _backend.ReceiveOne(buffer, timeoutMilliseconds, out datagram);
        _backend.RequireOwner();
        ReceiveStatus status = _staged.Receive(buffer, timeoutMilliseconds, out datagram);
        ShareStaged();
        return status;
    }

    /// <summary>As the awaited calls make it, one after the other until one finds nothing.</summary>
    public ReceiveStatus TryReceiveOne(Span<byte> buffer, out ReceivedDatagram datagram) =>
        _staged is not null
            ? _staged.Receive(buffer, 0, out datagram)
            : _backend.ReceiveOne(buffer, 0, out datagram);

    /// <summary>
    /// Lets awaited calls have what one call has taken from the kernel beyond its own datagram, of which readiness
    /// tells them nothing. Called after either side has changed: datagrams were staged, or a call has begun to wait.
    /// </summary>
    public void ShareStaged()
    {
        if (_staged is { HasAny: true }) Volatile.Read(ref _pending)?.RunReadsSoon();
    }

    public SendResult Send(SendBatch batch, int timeoutMilliseconds)
    {
        batch.Use.Enter();
        try
        {
            return NoteShortage(_backend.Send(batch, timeoutMilliseconds));
        }
        finally
        {
            batch.Use.Leave();
        }
    }

    public SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds) =>
        NoteShortage(_backend.SendOne(payload, peer, timeoutMilliseconds));

    /// <summary>Ends the calls that wait, as closed, and those that are about to.</summary>
    public void Dispose()
    {
        lock (_pendingLock)
        {
            _closed = true;
            _pending?.Dispose();
        }
    }

    /// <summary>After the last call has left.</summary>
    public void DropStaged() => _staged?.Clear();

    // Made when they are needed: five of them are half a kilobyte, and of ten thousand sockets most need none.
    private static OperationPool<T> Made<T>(ref OperationPool<T>? pool)
        where T : PendingOperation =>
        Volatile.Read(ref pool) ?? Interlocked.CompareExchange(ref pool, new OperationPool<T>(), null) ?? pool;

    private SendResult NoteShortage(in SendResult result)
    {
        if (result.Status == SendStatus.NoBuffers) _context.RetrySendLater = true;
        return result;
    }
}
