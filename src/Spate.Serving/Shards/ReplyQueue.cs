namespace Spate.Serving.Shards;

/// <summary>
/// What one thread sends by one local end point: the replies that its handler composes and those that other threads
/// post, with the socket that sends them. Replies belong to the thread; any thread may post.
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

    /// <summary>The socket that sends.</summary>
    public UdpSocket Socket => _socket;

    /// <summary>What the handler composes.</summary>
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

    /// <summary>What was posted so far; the caller sends it before it asks again.</summary>
    public SendBatch TakePosted()
    {
        lock (_lock)
        {
            (_posted, _spare) = (_spare, _posted);
            _hasPosted = false;
            return _spare;
        }
    }

    /// <summary>From now on another socket of the same address and port sends.</summary>
    public void SendBy(UdpSocket socket) => _socket = socket;

    /// <summary>Nothing more can be posted; what was posted can still be taken.</summary>
    public void EndPosting()
    {
        lock (_lock) _ended = true;
    }

    /// <summary>Empties the replies, unless another thread sends them at this moment.</summary>
    /// <returns>How many were dropped.</returns>
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
        try
        {
            Replies.Dispose();
        }
        catch (InvalidOperationException)
        {
            // Another thread, which the handler gave the replies to, sends them at this moment.
        }

        _posted.Dispose();
        _spare.Dispose();
    }
}
