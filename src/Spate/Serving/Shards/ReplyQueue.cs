using System.Diagnostics;

namespace Spate.Serving.Shards;

/// <summary>
/// The datagrams that one thread sends from one local end point: the replies that its handler composes, and the
/// datagrams that other threads post. Only that thread may add replies; any thread may post.
/// </summary>
internal sealed class ReplyQueue : IDisposable
{
    private readonly Lock _lock = new();
    private volatile UdpSocket _socket;
    private SendBatch _posted;
    private SendBatch _spare;
    private volatile bool _hasPosted;
    private bool _ended;

    public ReplyQueue(UdpSocket socket, SendBatchOptions replies)
    {
        _socket = socket;
        Replies = socket.CreateSendBatch(replies);
        Replies.IsLent = true;
        _posted = socket.CreateSendBatch();
        _spare = socket.CreateSendBatch();
    }

    public UdpSocket Socket => _socket;

    /// <summary>The batch of replies that the handler composes. If the handler disposes it, nothing happens.</summary>
    public SendBatch Replies { get; }

    public bool HasPosted => _hasPosted;

    public bool TryEnqueue(ReadOnlySpan<byte> payload, in UdpEndPoint peer, in SendControl control)
    {
        lock (_lock)
        {
            if (_ended || !_posted.TryReserve(peer, control, payload.Length, out Span<byte> room)) return false;
            payload.CopyTo(room);
            _hasPosted = true;
            return true;
        }
    }

    /// <summary>
    /// Returns the datagrams posted so far. The caller must send or clear them before it calls this method again.
    /// </summary>
    public SendBatch TakePosted()
    {
        lock (_lock)
        {
            Debug.Assert(_spare.Count == 0, "The datagrams taken before were neither sent nor cleared.");
            (_posted, _spare) = (_spare, _posted);
            _hasPosted = false;
            return _spare;
        }
    }

    /// <summary>
    /// From now on the datagrams are sent through this socket, which has the same local address and port.
    /// </summary>
    public void SendBy(UdpSocket socket) => _socket = socket;

    /// <summary>Refuses further posts. Earlier posts can still be taken.</summary>
    public void EndPosting()
    {
        lock (_lock) _ended = true;
    }

    /// <summary>
    /// Drops the datagrams of a batch that are not yet sent, unless another thread is sending them at this moment.
    /// </summary>
    /// <returns>The number of datagrams that were dropped.</returns>
    public static int Drop(SendBatch batch)
    {
        try
        {
            int count = batch.Count;
            batch.Clear();
            return count;
        }
        catch (InvalidOperationException)
        {
            return 0;
        }
    }

    public void Dispose()
    {
        Replies.IsLent = false;
        Replies.Dispose();
        _posted.Dispose();
        _spare.Dispose();
    }
}
