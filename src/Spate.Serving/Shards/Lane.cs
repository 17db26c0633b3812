namespace Spate.Serving.Shards;

/// <summary>
/// One thread's way out by one local end point: a socket, its own or shared, the replies that the handler composes,
/// and those that other threads post. Replies belong to the thread; posting is safe from any.
/// </summary>
internal sealed class Lane : IDisposable
{
    private readonly Lock _lock = new();
    private volatile UdpSocket _socket;
    private SendBatch _posted;
    private SendBatch _spare;
    private volatile bool _hasPosted;
    private bool _ended;

    public Lane(UdpSocket socket, SendBatchOptions replies)
    {
        _socket = socket;
        Replies = socket.CreateSendBatch(replies);
        Replies.IsLent = true;
        _posted = socket.CreateSendBatch();
        _spare = socket.CreateSendBatch();
    }

    /// <summary>What sends.</summary>
    public UdpSocket Socket => _socket;

    public SendBatch Replies { get; }

    public bool HasPosted => _hasPosted;

    public bool TryPost(in UdpEndPoint peer, ReadOnlySpan<byte> payload)
    {
        lock (_lock)
        {
            if (_ended || !_posted.TryAdd(peer, payload)) return false;
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

    /// <summary>Nothing more can be posted; what was is still there to be taken.</summary>
    public void EndPosting()
    {
        lock (_lock) _ended = true;
    }

    /// <summary>Empties the replies, unless another thread sends them at this moment.</summary>
    /// <returns>How many were let go.</returns>
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
            // Another thread, which the handler gave them to, sends them at this moment.
        }

        _posted.Dispose();
        _spare.Dispose();
    }
}
