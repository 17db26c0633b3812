using Spate;
using Spate.Serving;

/// <summary>
/// The datagrams of one peer as a blocking transport, with the methods of BouncyCastle's interface DatagramTransport.
/// The shard puts in what arrives and never blocks; the thread of the connection takes it out.
/// </summary>
internal sealed class SessionTransport(UdpShard shard, UdpEndPoint peer)
{
    private const int MaxQueued = 64;

    // What an Ethernet packet carries over IPv6: a record that fits needs no fragments.
    private const int PacketBytes = 1500 - 40 - 8;

    private readonly Queue<byte[]> _queue = new();
    private bool _isClosed;

    public UdpEndPoint Peer => peer;

    public int GetReceiveLimit() => PacketBytes;

    public int GetSendLimit() => PacketBytes;

    // What finds the queue full is dropped, as by a full socket buffer: DTLS sends again. What is longer than a packet
    // is no record of an honest peer, and would make the queues large.
    public void Put(ReadOnlySpan<byte> payload)
    {
        if (payload.Length > PacketBytes) return;
        lock (_queue)
        {
            if (_isClosed || _queue.Count == MaxQueued) return;
            _queue.Enqueue(payload.ToArray());
            Monitor.Pulse(_queue);
        }
    }

    public int Receive(byte[] buf, int off, int len, int waitMillis) => Receive(buf.AsSpan(off, len), waitMillis);

    /// <summary>Takes the next datagram, cut off where there is no room, as by a socket; -1: none in time.</summary>
    public int Receive(Span<byte> buffer, int waitMillis)
    {
        lock (_queue)
        {
            // For this interface 0 is no limit.
            if (_queue.Count == 0 && !_isClosed) Monitor.Wait(_queue, waitMillis == 0 ? Timeout.Infinite : waitMillis);
            if (!_queue.TryDequeue(out byte[]? datagram)) return _isClosed ? throw Closed() : -1;
            int length = Math.Min(datagram.Length, buffer.Length);
            datagram.AsSpan(0, length).CopyTo(buffer);
            return length;
        }
    }

    public void Send(byte[] buf, int off, int len) => Send(buf.AsSpan(off, len));

    public void Send(ReadOnlySpan<byte> buffer)
    {
        if (Volatile.Read(ref _isClosed)) throw Closed();
        shard.TryEnqueue(buffer, peer);   // false when too much is waiting: lost, and DTLS sends again
    }

    public void Close()
    {
        lock (_queue)
        {
            Volatile.Write(ref _isClosed, true);
            Monitor.PulseAll(_queue);
        }
    }

    private static IOException Closed() => new("The session of this transport has ended.");
}
