using Spate.Buffers;

namespace Spate;

/// <summary>
/// A datagram that was received into the caller's memory, with its peer and the metadata that was asked for. The
/// <c>default</c> value is an empty one of nobody, without metadata. An awaited receive with a time limit returns one
/// without a datagram too: <see cref="Status"/> tells.
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
    /// <see cref="ReceiveStatus.Received"/> where this is a datagram. Otherwise how the receive ended, which only
    /// <see cref="UdpSocket.ReceiveFromAsync(Memory{byte}, TimeSpan, CancellationToken)"/> tells here;
    /// <see cref="ReceiveStatus.None"/> in the <c>default</c> value.
    /// </summary>
    public ReceiveStatus Status { get; }

    /// <summary>Bytes written to the buffer.</summary>
    public int Length { get; }

    /// <summary>Whether the datagram was longer than the buffer; the rest of it is gone.</summary>
    public bool IsTruncated { get; }

    /// <summary>Who sent it.</summary>
    public UdpEndPoint Peer { get; }

    /// <summary>
    /// The address it was sent to; default unless <see cref="UdpMetadata.LocalAddress"/> was asked for. Its port is 0.
    /// </summary>
    public UdpEndPoint LocalAddress => _info.LocalAddress;

    /// <summary>The interface it came in by; 0 unless <see cref="UdpMetadata.LocalAddress"/> was asked for.</summary>
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
    /// Time to live or hop limit that was left; -1 unless <see cref="UdpMetadata.TimeToLive"/> was asked for.
    /// </summary>
    public int TimeToLive => _info.TimeToLive;

    /// <summary>
    /// Kernel receive time in nanoseconds since 1970 UTC; 0 unless <see cref="UdpMetadata.Timestamp"/> was asked for.
    /// </summary>
    public long TimestampUnixNanoseconds => _info.TimestampUnixNanoseconds;

    /// <summary>No datagram, because the receive ended otherwise.</summary>
    internal static ReceivedDatagram OfNone(ReceiveStatus status) => new(status);
}
