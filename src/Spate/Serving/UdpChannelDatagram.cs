namespace Spate.Serving;

/// <summary>
/// A datagram from the channel of a <see cref="UdpChannelHandler"/>. Dispose it after use, on any thread.
/// </summary>
public readonly struct UdpChannelDatagram : IDisposable
{
    private readonly DatagramLease _lease;
    private readonly UdpShard? _shard;
    private readonly SendControl _replyControl;

    internal UdpChannelDatagram(
        DatagramLease lease, UdpShard shard, int localEndPointIndex, in SendControl replyControl)
    {
        _lease = lease;
        _shard = shard;
        _replyControl = replyControl;
        LocalEndPointIndex = localEndPointIndex;
    }

    /// <summary>The peer that sent the datagram.</summary>
    public UdpEndPoint Peer => _lease.Peer;

    /// <summary>The payload, which may also be written to. Empty in a <c>default</c> datagram.</summary>
    /// <exception cref="ObjectDisposedException">The datagram was disposed.</exception>
    public Memory<byte> Payload => _lease.Payload;

    /// <summary>Whether the datagram was longer than its slot: see <see cref="Datagram.IsTruncated"/>.</summary>
    public bool IsTruncated => _lease.IsTruncated;

    /// <summary>
    /// The index, in <see cref="UdpShard.LocalEndPoints"/>, of the local end point that received the datagram.
    /// </summary>
    public int LocalEndPointIndex { get; }

    /// <summary>
    /// Sends an answer to the peer, from the local end point that received the datagram. If the server's sockets have
    /// <see cref="UdpMetadata.LocalAddress"/>, the answer's source address is the address that the datagram was sent
    /// to, as with <see cref="SendBatch.TryReserveReply"/>. Any thread may call the method, also after
    /// <see cref="Dispose"/>. The payload is copied.
    /// </summary>
    /// <param name="payload">The answer.</param>
    /// <returns>
    /// The result of
    /// <see cref="UdpShard.TryEnqueue(ReadOnlySpan{byte}, in UdpEndPoint, in SendControl, int)"/>: false if the answer
    /// will not be sent. Also false for a <c>default</c> datagram.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The payload is longer than 65,527 bytes.</exception>
    public bool TryReply(ReadOnlySpan<byte> payload) =>
        _shard is not null && _shard.TryEnqueue(payload, Peer, _replyControl, LocalEndPointIndex);

    /// <summary>Returns the length of the payload and the peer, also after <see cref="Dispose"/>.</summary>
    public override string ToString() => _lease.ToString();

    /// <summary>Releases the memory of the payload. The payload must not be used any more.</summary>
    public void Dispose() => _lease.Dispose();
}
