namespace Spate;

/// <summary>How a socket treats datagrams that are larger than the path's MTU.</summary>
public enum UdpFragmentation
{
    /// <summary>The system's default: the datagram may be fragmented (Linux: IP_PMTUDISC_WANT).</summary>
    Allowed,

    /// <summary>
    /// The datagram is refused with <see cref="System.Net.Sockets.SocketError.MessageSize"/>, and counted in
    /// <see cref="UdpCounters.DatagramsRefused"/> (Linux: IP_PMTUDISC_DO).
    /// </summary>
    DontFragment,

    /// <summary>
    /// The datagram is sent with the don't-fragment bit, even if it is larger than the path MTU that the kernel
    /// remembers. For path MTU probing (RFC 8899). Linux only (IP_PMTUDISC_PROBE).
    /// </summary>
    Probe,
}
