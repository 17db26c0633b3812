using Spate.Gateway.Format;

namespace Spate.Gateway;

/// <summary>
/// A datagram that a <see cref="GatewayReader"/> has read from a stream, seen in place: valid until the visit returns.
/// </summary>
public readonly ref struct GatewayRecord
{
    private readonly PackMessage _message;
    private readonly RecordView _record;

    internal GatewayRecord(
        GatewayKey key, PackMessage message, RecordView record, ulong sequence, ulong streamOffset, bool isDuplicate)
    {
        Key = key;
        _message = message;
        _record = record;
        Sequence = (long)sequence;
        StreamOffset = (long)streamOffset;
        IsDuplicate = isDuplicate;
    }

    /// <summary>The gateway, its run, shard and partition, which <see cref="Sequence"/> counts for.</summary>
    public GatewayKey Key { get; }

    /// <summary>The number of the datagram among those of its key, from 0.</summary>
    public long Sequence { get; }

    /// <summary>The offset of the datagram's message in its stream. Offsets leave numbers out.</summary>
    public long StreamOffset { get; }

    /// <summary>
    /// Whether this datagram was read before: a gateway sends again what was not confirmed when a connection was lost.
    /// </summary>
    public bool IsDuplicate { get; }

    /// <summary>When the gateway received it, in nanoseconds since 1970 UTC by its clock.</summary>
    public long ArrivalUnixNanoseconds => _message.FirstTime + _record.Nanoseconds;

    /// <summary>The peer that sent the datagram.</summary>
    public UdpEndPoint Peer => EndPoint(_record.PeerAddress, _record.PeerScope, _record.PeerPort);

    /// <summary>
    /// The end point of the gateway that it was sent to. Where the gateway listens on all addresses, the address is the
    /// one that was asked, if the gateway was told it.
    /// </summary>
    public UdpEndPoint LocalEndPoint
    {
        get
        {
            ReadOnlySpan<byte> bound = _message.LocalEndPoint(_record.LocalIndex, out int port);
            return EndPoint(_record.LocalAddress.IsEmpty ? bound : _record.LocalAddress, 0, port);
        }
    }

    /// <summary>Whether the datagram was longer than the gateway's slot; the rest of it is gone.</summary>
    public bool IsTruncated => (_record.Flags & RecordFlags.Truncated) != RecordFlags.None;

    /// <summary>The datagram's payload. Any host that reaches the gateway can choose it.</summary>
    public ReadOnlySpan<byte> Payload => _record.Payload;

    private static UdpEndPoint EndPoint(ReadOnlySpan<byte> address, uint scope, int port) =>
        new(new UdpAddress(address, scope), port);
}
