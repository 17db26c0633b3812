namespace Spate.Interop.Linux;

/// <summary><c>netinet/udp.h</c> and <c>linux/udp.h</c>: segmentation and coalescing.</summary>
internal static class Udp
{
    public const int SOL_UDP = 17;
    public const int UDP_CORK = 1;

    /// <summary>Send GSO messages (Linux 4.18). The socket option is an int, the control message 16 bits.</summary>
    public const int UDP_SEGMENT = 103;

    /// <summary>Receive coalesced (Linux 5.0). The socket option and the control message are both an int.</summary>
    public const int UDP_GRO = 104;
}
