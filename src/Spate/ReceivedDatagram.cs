using Spate.Buffers;

namespace Spate;

/// <summary>
/// A datagram that was received into the caller's memory, with its peer and the requested metadata. The <c>default</c>
/// value is empty, without a peer and without metadata. An awaited receive with a timeout may return a value without a
/// datagram: check <see cref="Status"/>.
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
    /// <see cref="ReceiveStatus.Received"/> if this is a datagram. Otherwise the status with which the receive ended,
    /// which only <see cref="UdpSocket.ReceiveFromAsync(Memory{byte}, TimeSpan, CancellationToken)"/> reports here;
    /// <see cref="ReceiveStatus.None"/> in the <c>default</c> value.
    /// </summary>
    public ReceiveStatus Status { get; }

    /// <summary>Bytes written to the buffer.</summary>
    public int Length { get; }

    /// <summary>Whether the datagram was longer than the buffer; the rest of it is lost.</summary>
    public bool IsTruncated { get; }

    /// <summary>The peer that sent the datagram.</summary>
    public UdpEndPoint Peer { get; }

    /// <summary>
    /// The address that the datagram was sent to, with port 0; default unless <see cref="UdpMetadata.LocalAddress"/>
    /// was asked for.
    /// </summary>
    public UdpEndPoint LocalAddress => _info.LocalAddress;

    /// <summary>
    /// The index of the interface that received the datagram; 0 unless <see cref="UdpMetadata.LocalAddress"/> was asked
    /// for.
    /// </summary>
    public int InterfaceIndex => _info.InterfaceIndex;

    /// <summary>DSCP and ECN; -1 unless <see cref="UdpMetadata.TrafficClass"/> was asked for.</summary>
    public int TrafficClass => _info.TrafficClass;

    /// <summary>
    /// The two ECN bits (RFC 3168): 0 none, 1 ECT(1), 2 ECT(0), 3 congestion experienced; -1 unless asked for.
    /// </summary>
    public int Ecn => TrafficClass < 0 ? -1 : TrafficClass & 3;

    /// <summary>The six DSCP bits (RFC 2474); -1 unless <see cref="UdpMetadata.TrafficClass"/> was asked for.</summary>
    public int Dscp => TrafficClass < 0 ? -1 : TrafficClass >> 2;

    /// <summary>
    /// The remaining time to live or hop limit; -1 unless <see cref="UdpMetadata.TimeToLive"/> was asked for.
    /// </summary>
    public int TimeToLive => _info.TimeToLive;

    /// <summary>
    /// Kernel receive time in nanoseconds since 1970 UTC; 0 unless <see cref="UdpMetadata.Timestamp"/> was asked for.
    /// </summary>
    public long TimestampUnixNanoseconds => _info.TimestampUnixNanoseconds;

    /// <summary>A value without a datagram, for a receive that ended with another status.</summary>
    internal static ReceivedDatagram OfNone(ReceiveStatus status) => new(status);
}
