using Spate;
using Spate.Serving;

/// <summary>
/// The datagrams of one peer as a blocking transport, with the methods of BouncyCastle's interface DatagramTransport.
/// </summary>
/// <remarks>
/// The shard puts in what arrives, and the thread of the connection takes it out: that thread may block as long as it
/// likes, the shard never does. What finds the queue full is dropped, as a full socket buffer would: DTLS sends again.
/// </remarks>
internal sealed class SessionTransport(UdpShard shard, UdpEndPoint peer, int localIndex)
{
    private const int MaxQueued = 64;

    // What an Ethernet packet carries over IPv6: a record that fits needs no fragments.
    private const int PacketBytes = 1500 - 40 - 8;
    private const int NoDatagram = -1;

    private readonly Queue<byte[]> _queue = new();
    private bool _isClosed;

    /// <summary>Called by the shard with a datagram of the peer.</summary>
    public void Put(ReadOnlySpan<byte> payload)
    {
        lock (_queue)
        {
            if (_isClosed || _queue.Count == MaxQueued) return;
            _queue.Enqueue(payload.ToArray());
            Monitor.Pulse(_queue);
        }
    }

    public int GetReceiveLimit() => PacketBytes;

    public int GetSendLimit() => PacketBytes;

    public int Receive(byte[] buf, int off, int len, int waitMillis) => Receive(buf.AsSpan(off, len), waitMillis);

    /// <summary>Takes the next datagram.</summary>
    /// <param name="buffer">The room; what does not fit is cut off, as by a socket.</param>
    /// <param name="waitMillis">How long to wait; 0 for no limit.</param>
    /// <returns>The length; -1 when none came in time.</returns>
    /// <exception cref="IOException">The transport is closed.</exception>
    public int Receive(Span<byte> buffer, int waitMillis)
    {
        byte[]? datagram;
        lock (_queue)
        {
            if (_queue.Count == 0 && !_isClosed) Monitor.Wait(_queue, waitMillis == 0 ? Timeout.Infinite : waitMillis);

            if (!_queue.TryDequeue(out datagram)) return _isClosed ? throw Closed() : NoDatagram;
        }

        int length = Math.Min(datagram.Length, buffer.Length);
        datagram.AsSpan(0, length).CopyTo(buffer);
        return length;
    }

    public void Send(byte[] buf, int off, int len) => Send(buf.AsSpan(off, len));

    /// <summary>Sends a datagram to the peer, by the socket of its shard.</summary>
    /// <exception cref="IOException">The transport is closed.</exception>
    public void Send(ReadOnlySpan<byte> buffer)
    {
        if (Volatile.Read(ref _isClosed)) throw Closed();

        // False when too much is waiting already: the datagram is lost, and the protocol sends it again.
        _ = shard.TryPost(buffer, peer, localIndex);
    }

    /// <summary>Ends the transport, on any thread: a call of <c>Receive</c> that waits returns.</summary>
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
