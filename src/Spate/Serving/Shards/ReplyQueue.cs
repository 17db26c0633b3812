namespace Spate.Serving.Shards;

/// <summary>
/// The datagrams that one thread sends from one local end point: the replies that its handler composes, and the
/// datagrams that other threads post. Only the thread uses the replies; any thread may post.
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

    /// <summary>The replies that the handler composes. It cannot dispose them.</summary>
    public SendBatch Replies { get; }

    public bool HasPosted => _hasPosted;

    public bool TryPost(ReadOnlySpan<byte> payload, in UdpEndPoint peer)
    {
        lock (_lock)
        {
            if (_ended || !_posted.TryAdd(payload, peer)) return false;
            _hasPosted = true;
            return true;
        }
    }

    /// <summary>The datagrams posted so far. The caller sends them before its next call.</summary>
    public SendBatch TakePosted()
    {
        lock (_lock)
        {
            (_posted, _spare) = (_spare, _posted);
            _hasPosted = false;
            return _spare;
        }
    }

    /// <summary>Sends by another socket of the same address and port from now on.</summary>
    public void SendBy(UdpSocket socket) => _socket = socket;

    /// <summary>Refuses further posts. Earlier posts can still be taken.</summary>
    public void EndPosting()
    {
        lock (_lock) _ended = true;
    }

    /// <summary>Empties the replies, unless another thread sends them at this moment.</summary>
    /// <returns>The number of replies that were dropped.</returns>
    public int DropReplies()
    {
        try
        {
            int count = Replies.Count;
            Replies.Clear();
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
