namespace Spate.Serving;

/// <summary>
/// A datagram out of the channel of a <see cref="UdpChannelHandler"/>. Its reader disposes it, on any thread.
/// </summary>
public readonly struct UdpChannelDatagram : IDisposable
{
    private readonly DatagramLease _lease;
    private readonly UdpShard? _shard;

    internal UdpChannelDatagram(DatagramLease lease, UdpShard shard, int localIndex)
    {
        _lease = lease;
        _shard = shard;
        LocalIndex = localIndex;
    }

    /// <summary>Who sent it.</summary>
    public UdpEndPoint Peer => _lease.Peer;

    /// <summary>The payload, writable, until it is disposed; empty in a <c>default</c>.</summary>
    /// <exception cref="ObjectDisposedException">It was disposed.</exception>
    public Memory<byte> Memory => _lease.Memory;

    /// <summary>Whether the datagram was longer than its slot: see <see cref="Datagram.IsTruncated"/>.</summary>
    public bool IsTruncated => _lease.IsTruncated;

    /// <summary>Which of <see cref="UdpShard.LocalEndPoints"/> it came to.</summary>
    public int LocalIndex { get; }

    /// <summary>
    /// Answers its peer, from the end point it came to, also after it was disposed. Any thread; the payload is copied.
    /// </summary>
    /// <param name="payload">The answer.</param>
    /// <returns>
    /// As <see cref="UdpShard.TryPost"/>: false if nothing will be sent, as for a <c>default</c>, which has no peer.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The payload is longer than 65,527 bytes.</exception>
    public bool TryReply(ReadOnlySpan<byte> payload) =>
        _shard is not null && _shard.TryPost(payload, Peer, LocalIndex);

    /// <summary>Lets the payload go; it must not be used any more.</summary>
    public void Dispose() => _lease.Dispose();
}
