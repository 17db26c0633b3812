namespace Spate;

/// <summary>What becomes of a datagram that is larger than the path's MTU.</summary>
public enum UdpFragmentation
{
    /// <summary>The system's default: it may be fragmented (Linux: IP_PMTUDISC_WANT).</summary>
    Allowed,

    /// <summary>
    /// It is refused with <see cref="System.Net.Sockets.SocketError.MessageSize"/> and counted (Linux:
    /// IP_PMTUDISC_DO).
    /// </summary>
    DontFragment,

    /// <summary>
    /// It is sent with the don't-fragment bit and without regard to the path MTU that the kernel remembers, for path
    /// MTU probing (RFC 8899). Linux only (IP_PMTUDISC_PROBE).
    /// </summary>
    Probe,
}
