namespace Spate;

/// <summary>
/// The two bits of the traffic class for explicit congestion notification (ECN), with the values of RFC 3168, section
/// 5. They are the low bits of <see cref="SendControl.TrafficClass"/> and <see cref="UdpSocketOptions.TrafficClass"/>.
/// </summary>
public enum EcnCodepoint
{
    /// <summary>
    /// Not-ECT: the sender does not take part in ECN, so routers drop its datagrams instead of marking them.
    /// </summary>
    NotEct = 0,

    /// <summary>ECT(1): the sender takes part in ECN. L4S uses this codepoint (RFC 9331).</summary>
    Ect1 = 1,

    /// <summary>ECT(0): the sender takes part in ECN. This is the usual codepoint.</summary>
    Ect0 = 2,

    /// <summary>CE: a router on the path marked the datagram because of congestion.</summary>
    CongestionExperienced = 3,
}
