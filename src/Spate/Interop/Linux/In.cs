using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>netinet/in.h</c>: an IPv4 address, network byte order, 4 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct in_addr
{
    public uint s_addr;
}

/// <summary>
/// <c>netinet/in.h</c>: an IPv6 address, 16 bytes. Aligned to 4 bytes as in C, because C declares a union with 32-bit
/// words.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 16)]
internal unsafe struct in6_addr
{
    [FieldOffset(0)]
    public fixed byte s6_addr[16];

    [FieldOffset(0)]
    public fixed uint s6_addr32[4];
}

/// <summary><c>netinet/in.h</c>: room for a socket address of any family, 128 bytes, aligned to 8 bytes.</summary>
[StructLayout(LayoutKind.Explicit, Size = 128)]
internal unsafe struct sockaddr_storage
{
    [FieldOffset(0)]
    public ushort ss_family;

    [FieldOffset(0)]
    public fixed ulong Words[16];
}

/// <summary><c>netinet/in.h</c>: the data of IP_PKTINFO, for sending and for receiving, 12 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct in_pktinfo
{
    public int ipi_ifindex;
    public in_addr ipi_spec_dst;
    public in_addr ipi_addr;
}

/// <summary><c>netinet/in.h</c>: the data of IPV6_PKTINFO, for sending and for receiving, 20 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct in6_pktinfo
{
    public in6_addr ipi6_addr;
    public uint ipi6_ifindex;
}

/// <summary><c>netinet/in.h</c>: membership in a group of either family for one source (RFC 3678), 264 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct group_source_req
{
    public uint gsr_interface;
    public sockaddr_storage gsr_group;
    public sockaddr_storage gsr_source;
}

/// <summary><c>netinet/in.h</c>: options and control messages of IPv4 and IPv6.</summary>
internal static class In
{
    public const int SOL_IP = 0;
    public const int SOL_IPV6 = 41;

    public const int IP_TOS = 1;
    public const int IP_TTL = 2;
    public const int IP_PKTINFO = 8;
    public const int IP_MTU_DISCOVER = 10;
    public const int IP_RECVERR = 11;
    public const int IP_RECVTTL = 12;
    public const int IP_RECVTOS = 13;
    public const int IP_MULTICAST_TTL = 33;
    public const int IP_MULTICAST_LOOP = 34;
    public const int IP_MULTICAST_ALL = 49;

    public const int MCAST_JOIN_SOURCE_GROUP = 46;
    public const int MCAST_LEAVE_SOURCE_GROUP = 47;

    /// <summary>IPV6_PMTUDISC_DO and IPV6_PMTUDISC_PROBE have the same values (linux/in6.h).</summary>
    public const int IP_PMTUDISC_DO = 2;
    public const int IP_PMTUDISC_PROBE = 3;

    public const int IPV6_MTU_DISCOVER = 23;
    public const int IPV6_RECVERR = 25;
    public const int IPV6_MULTICAST_ALL = 29;
    public const int IPV6_RECVPKTINFO = 49;
    public const int IPV6_PKTINFO = 50;
    public const int IPV6_RECVHOPLIMIT = 51;
    public const int IPV6_HOPLIMIT = 52;
    public const int IPV6_RECVTCLASS = 66;
    public const int IPV6_TCLASS = 67;
}
