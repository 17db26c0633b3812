using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary><c>ws2ipdef.h</c>: the local address of an IPv4 datagram, and its interface.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct IN_PKTINFO
{
    public uint ipi_addr;
    public uint ipi_ifindex;
}

/// <summary><c>ws2ipdef.h</c>: the local address of an IPv6 datagram, and its interface.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct IN6_PKTINFO
{
    public fixed byte ipi6_addr[16];
    public uint ipi6_ifindex;
}

/// <summary>
/// <c>ws2ipdef.h</c>, <c>ws2def.h</c>: options and control messages of IPv4, IPv6 and UDP. An option and its control
/// message have the same number, except where both are listed.
/// </summary>
internal static class Ws2IpDef
{
    public const int IPPROTO_IP = 0;
    public const int IPPROTO_IPV6 = 41;
    public const int IPPROTO_UDP = 17;

    /// <summary>The size of the segments of a send, as an option and as a control message; 32 bits in both.</summary>
    public const int UDP_SEND_MSG_SIZE = 2;

    /// <summary>The longest coalesced buffer that a receive may get; 0 switches coalescing off.</summary>
    public const int UDP_RECV_MAX_COALESCED_SIZE = 3;

    /// <summary>The control message with the size of the segments of a coalesced buffer, 32 bits.</summary>
    public const int UDP_COALESCED_INFO = 3;

    public const int IP_TOS = 3;
    public const int IP_PKTINFO = 19;
    public const int IP_HOPLIMIT = 21;
    public const int IP_RECVTOS = 40;
    public const int IP_ECN = 50;
    public const int IP_RECVECN = 50;
    public const int IPV6_PKTINFO = 19;
    public const int IPV6_HOPLIMIT = 21;
    public const int IPV6_TCLASS = 39;
    public const int IPV6_RECVTCLASS = 40;
    public const int IPV6_ECN = 50;
    public const int IPV6_RECVECN = 50;
}
