namespace Spate;

/// <summary>
/// What a socket is asked to tell about each received datagram beside its peer. What is not asked for costs nothing.
/// Linux with the Mmsg backend only; elsewhere asking is refused at Bind with <see
/// cref="PlatformNotSupportedException"/>.
/// All four together cost about 100 ns per receive of one datagram (udp.7, ip.7; measured as 77 ns and 38 ns for parts
/// of them).
/// </summary>
[Flags]
public enum UdpMetadata
{
    /// <summary>Only the peer and the payload.</summary>
    None = 0,

    /// <summary>
    /// The local address that was asked and the interface it came in by (IP_PKTINFO, IPV6_RECVPKTINFO).
    /// </summary>
    LocalAddress = 1,

    /// <summary>The traffic class byte: DSCP and ECN (IP_RECVTOS, IPV6_RECVTCLASS).</summary>
    TrafficClass = 2,

    /// <summary>The time to live or hop limit that was left (IP_RECVTTL, IPV6_RECVHOPLIMIT).</summary>
    TimeToLive = 4,

    /// <summary>The kernel's receive time (SO_TIMESTAMPNS), nanoseconds since 1970 UTC.</summary>
    Timestamp = 8,
}
