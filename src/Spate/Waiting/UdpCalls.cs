using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The calls of one socket, as both the blocking and the awaitable forms need them: staged where the backend wants it.
/// The caller is inside the socket's gate.
/// </summary>
internal sealed class UdpCalls
{
    private readonly DatagramBackend _backend;
    private readonly SocketContext _context;
    private readonly StagedReceiver? _staged;

    public UdpCalls(DatagramBackend backend, SocketContext context)
    {
        _backend = backend;
        _context = context;
        if (backend.NeedsStaging) _staged = new StagedReceiver(backend, context);
    }

    /// <summary>Whether a call has taken datagrams beyond its own from the kernel, of which no event tells.</summary>
    public bool HasStaged => _staged is { HasAny: true };

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
        return _staged.Receive(buffer, timeoutMilliseconds, out datagram);
    }

    /// <summary>As the awaited calls make it, one after the other until one finds nothing.</summary>
    public ReceiveStatus TryReceiveOne(Span<byte> buffer, out ReceivedDatagram datagram) =>
        _staged is not null
            ? _staged.Receive(buffer, 0, out datagram)
            : _backend.ReceiveOne(buffer, 0, out datagram);

    public SendResult Send(SendBatch batch, int timeoutMilliseconds)
    {
        batch.Queue.Use.Enter();
        try
        {
            return NoteShortage(_backend.Send(batch.Queue, timeoutMilliseconds));
        }
        finally
        {
            batch.Queue.Use.Leave();
        }
    }

    public SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds) =>
        NoteShortage(_backend.SendOne(payload, peer, timeoutMilliseconds));

    /// <summary>After the last call has left.</summary>
    public void DropStaged() => _staged?.Clear();

    private SendResult NoteShortage(in SendResult result)
    {
        if (result.Status == SendStatus.NoBuffers) _context.RetrySendLater = true;
        return result;
    }
}
