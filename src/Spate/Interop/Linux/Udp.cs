namespace Spate.Interop.Linux;

/// <summary><c>netinet/udp.h</c> and <c>linux/udp.h</c>: segmentation and coalescing.</summary>
internal static class Udp
{
    public const int SOL_UDP = 17;

    /// <summary>
    /// Sends GSO messages (Linux 4.18). The socket option is an int, but the control message has 16 bits.
    /// </summary>
    public const int UDP_SEGMENT = 103;

    /// <summary>
    /// Receives coalesced buffers (Linux 5.0). The socket option is an int, and so is the control message.
    /// </summary>
    public const int UDP_GRO = 104;
}
