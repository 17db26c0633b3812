using Spate.Buffers;

namespace Spate;

/// <summary>
/// A datagram that was received into the caller's memory, with its peer and the requested metadata. The <c>default</c>
/// value is empty: it has no peer and no metadata. A receive may give a value without a datagram, so check
/// <see cref="Status"/>.
/// </summary>
public readonly struct ReceivedDatagram
{
    private readonly DatagramInfo _info;

    internal ReceivedDatagram(int length, bool truncated, in UdpEndPoint peer, in DatagramInfo info)
    {
        Status = ReceiveStatus.Received;
        Length = length;
        IsTruncated = truncated;
        Peer = peer;
        _info = info;
    }

    private ReceivedDatagram(ReceiveStatus status) => Status = status;

    /// <summary>
    /// <see cref="ReceiveStatus.Received"/> if this value contains a datagram, otherwise why the receive ended without
    /// one: the status that a call which is not awaited also returns. The <c>default</c> value has
    /// <see cref="ReceiveStatus.None"/>.
    /// </summary>
    public ReceiveStatus Status { get; }

    /// <summary>The number of bytes written to the caller's memory.</summary>
    public int Length { get; }

    /// <summary>
    /// Whether the datagram was longer than the caller's memory; the rest of it is lost. On a coalescing socket there
    /// is a second cause, see <see cref="Datagram.IsTruncated"/>.
    /// </summary>
    public bool IsTruncated { get; }

    /// <summary>The peer that sent the datagram.</summary>
    public UdpEndPoint Peer { get; }

    /// <summary>
    /// The address that the datagram was sent to; <c>default</c> if <see cref="UdpMetadata.LocalAddress"/> was not
    /// requested.
    /// </summary>
    public UdpAddress LocalAddress => _info.LocalAddress;

    /// <summary>
    /// The index of the interface that received the datagram; null if <see cref="UdpMetadata.LocalAddress"/> was not
    /// requested.
    /// </summary>
    public int? InterfaceIndex => _info.InterfaceIndex;

    /// <summary>
    /// The traffic class byte, which contains DSCP and ECN; null if <see cref="UdpMetadata.TrafficClass"/> was not
    /// requested.
    /// </summary>
    public int? TrafficClass => _info.TrafficClass;

    /// <summary>
    /// The two ECN bits of the traffic class; null if <see cref="UdpMetadata.TrafficClass"/> was not requested.
    /// </summary>
    public EcnCodepoint? Ecn => _info.Ecn;

    /// <summary>
    /// The six DSCP bits of the traffic class (RFC 2474); null if <see cref="UdpMetadata.TrafficClass"/> was not
    /// requested.
    /// </summary>
    public int? Dscp => _info.Dscp;

    /// <summary>
    /// The remaining time to live or hop limit; null if <see cref="UdpMetadata.TimeToLive"/> was not requested.
    /// </summary>
    public int? TimeToLive => _info.TimeToLive;

    /// <summary>
    /// The kernel's receive time in nanoseconds since 1970 UTC; null if <see cref="UdpMetadata.Timestamp"/> was not
    /// requested.
    /// </summary>
    public long? TimestampUnixNanoseconds => _info.TimestampUnixNanoseconds;

    /// <summary>Returns the status, and for a received datagram its length and its peer.</summary>
    public override string ToString() => Status == ReceiveStatus.Received
        ? $"{Status} {Length} bytes from {Peer}{(IsTruncated ? ", truncated" : "")}"
        : Status.ToString();

    /// <summary>Makes a value without a datagram, for a receive that ended with another status than Received.</summary>
    internal static ReceivedDatagram OfNone(ReceiveStatus status) => new(status);
}
