using System.Runtime.InteropServices;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>linux/netlink.h</c>: the head of every message, 16 bytes; its length includes itself.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @nlmsghdr
{
    public uint nlmsg_len;
    public ushort nlmsg_type;
    public ushort nlmsg_flags;
    public uint nlmsg_seq;
    public uint nlmsg_pid;
}

/// <summary><c>linux/netlink.h</c>: the head of an attribute, 4 bytes; its length includes itself.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @nlattr
{
    public ushort nla_len;
    public ushort nla_type;
}

/// <summary><c>linux/netlink.h</c>: messages to and from the kernel (netlink(7)).</summary>
internal static class Netlink
{
    public const int NETLINK_ROUTE = 0;
    public const int NETLINK_SOCK_DIAG = 4;

    public const int NLM_F_REQUEST = 0x1;
    public const int NLM_F_MULTI = 0x2;
    public const int NLM_F_ACK = 0x4;
    public const int NLM_F_REPLACE = 0x100;

    /// <summary>What the dump goes through was changed while it was made: it may lack something.</summary>
    public const int NLM_F_DUMP_INTR = 0x10;
    public const int NLM_F_DUMP = 0x300;
    public const int NLM_F_CREATE = 0x400;

    public const int NLMSG_ERROR = 0x2;
    public const int NLMSG_DONE = 0x3;

    public const int NLMSG_ALIGNTO = 4;

    /// <summary>Bits of an attribute's type that do not belong to its number.</summary>
    public const int NLA_F_NESTED = 0x8000;
    public const int NLA_F_NET_BYTEORDER = 0x4000;
}

/// <summary><c>linux/rtnetlink.h</c>: what messages about interfaces begin with, 16 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @ifinfomsg
{
    public byte ifi_family;
    public byte __ifi_pad;
    public ushort ifi_type;
    public int ifi_index;
    public uint ifi_flags;
    public uint ifi_change;
}

/// <summary><c>linux/rtnetlink.h</c>: what messages about queueing disciplines begin with, 20 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @tcmsg
{
    public byte tcm_family;
    public byte tcm__pad1;
    public ushort tcm__pad2;
    public int tcm_ifindex;
    public uint tcm_handle;
    public uint tcm_parent;
    public uint tcm_info;
}

/// <summary><c>linux/rtnetlink.h</c>: what messages about routes begin with, 12 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @rtmsg
{
    public byte rtm_family;
    public byte rtm_dst_len;
    public byte rtm_src_len;
    public byte rtm_tos;
    public byte rtm_table;
    public byte rtm_protocol;
    public byte rtm_scope;
    public byte rtm_type;
    public uint rtm_flags;
}

/// <summary><c>linux/rtnetlink.h</c>: what each next hop of a route begins with; its length includes itself.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @rtnexthop
{
    public ushort rtnh_len;
    public byte rtnh_flags;
    public byte rtnh_hops;
    public int rtnh_ifindex;
}

/// <summary>
/// <c>linux/rtnetlink.h</c>: requests for interfaces, routes and queueing disciplines (rtnetlink(7)).
/// </summary>
internal static class RtNetlink
{
    public const int RTM_NEWLINK = 16;
    public const int RTM_GETLINK = 18;
    public const int RTM_NEWROUTE = 24;
    public const int RTM_GETROUTE = 26;
    public const int RTM_NEWQDISC = 36;
    public const int RTM_DELQDISC = 37;
    public const int RTM_GETQDISC = 38;

    /// <summary>The answer is the entry of the table with all of its next hops, and not the one chosen.</summary>
    public const int RTM_F_FIB_MATCH = 0x2000;

    public const int RTA_DST = 1;
    public const int RTA_OIF = 4;
    public const int RTA_GATEWAY = 5;
    public const int RTA_MULTIPATH = 9;
    public const int RTA_VIA = 18;

    public const int TCA_KIND = 1;
    public const int TCA_OPTIONS = 2;
    public const int TCA_STATS2 = 7;
}

/// <summary>
/// <c>linux/if_link.h</c>: the counters of an interface. Older kernels send fewer: <c>rx_nohandler</c> came with Linux
/// 4.6, <c>rx_otherhost_dropped</c> with 5.19.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal struct rtnl_link_stats64
{
    public ulong rx_packets;
    public ulong tx_packets;
    public ulong rx_bytes;
    public ulong tx_bytes;
    public ulong rx_errors;
    public ulong tx_errors;
    public ulong rx_dropped;
    public ulong tx_dropped;
    public ulong multicast;
    public ulong collisions;
    public ulong rx_length_errors;
    public ulong rx_over_errors;
    public ulong rx_crc_errors;
    public ulong rx_frame_errors;
    public ulong rx_fifo_errors;
    public ulong rx_missed_errors;
    public ulong tx_aborted_errors;
    public ulong tx_carrier_errors;
    public ulong tx_fifo_errors;
    public ulong tx_heartbeat_errors;
    public ulong tx_window_errors;
    public ulong rx_compressed;
    public ulong tx_compressed;
    public ulong rx_nohandler;
    public ulong rx_otherhost_dropped;
}

/// <summary><c>linux/if_link.h</c>: attributes of an interface.</summary>
internal static class IfLink
{
    public const int IFLA_IFNAME = 3;
    public const int IFLA_STATS64 = 23;
}

/// <summary><c>linux/pkt_sched.h</c>: handles of queueing disciplines, two numbers of 16 bits.</summary>
internal static class PktSched
{
    public const uint TC_H_MIN_MASK = 0x0000FFFF;

    /// <summary>The parent of the discipline that sees what comes in; lower numbers are classes.</summary>
    public const uint TC_H_INGRESS = 0xFFFFFFF1;

    /// <summary>The parent of the discipline that an interface sends through.</summary>
    public const uint TC_H_ROOT = 0xFFFFFFFF;
}

/// <summary><c>linux/gen_stats.h</c>: what a queueing discipline has passed on, 16 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct gnet_stats_basic
{
    public ulong bytes;
    public uint packets;
}

/// <summary><c>linux/gen_stats.h</c>: what a queueing discipline holds and has dropped, 20 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct gnet_stats_queue
{
    public uint qlen;
    public uint backlog;
    public uint drops;
    public uint requeues;
    public uint overlimits;
}

/// <summary><c>linux/gen_stats.h</c>: the attributes within TCA_STATS2.</summary>
internal static class GenStats
{
    public const int TCA_STATS_BASIC = 1;
    public const int TCA_STATS_QUEUE = 3;

    /// <summary>The packets as 64 bits; sent only where 32 do not hold them, and since Linux 5.5.</summary>
    public const int TCA_STATS_PKT64 = 8;
}

/// <summary><c>linux/sock_diag.h</c>: the request for sockets, and indexes into the words about their memory.</summary>
internal static class SockDiag
{
    public const int SOCK_DIAG_BY_FAMILY = 20;

    public const int SK_MEMINFO_RCVBUF = 1;
    public const int SK_MEMINFO_SNDBUF = 3;
    public const int SK_MEMINFO_DROPS = 8;
}

/// <summary><c>linux/inet_diag.h</c>: a socket's addresses, 48 bytes; ports are in network order.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct @inet_diag_sockid
{
    public ushort idiag_sport;
    public ushort idiag_dport;
    public fixed uint idiag_src[4];
    public fixed uint idiag_dst[4];
    public uint idiag_if;
    public fixed uint idiag_cookie[2];
}

/// <summary><c>linux/inet_diag.h</c>: a request for sockets, 56 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @inet_diag_req_v2
{
    public byte sdiag_family;
    public byte sdiag_protocol;
    public byte idiag_ext;
    public byte pad;
    public uint idiag_states;
    public inet_diag_sockid id;
}

/// <summary><c>linux/inet_diag.h</c>: what the kernel tells of a socket begins with this, 72 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @inet_diag_msg
{
    public byte idiag_family;
    public byte idiag_state;
    public byte idiag_timer;
    public byte idiag_retrans;
    public inet_diag_sockid id;
    public uint idiag_expires;
    public uint idiag_rqueue;
    public uint idiag_wqueue;
    public uint idiag_uid;
    public uint idiag_inode;
}

/// <summary><c>linux/inet_diag.h</c>: requests for sockets (sock_diag(7)).</summary>
internal static class InetDiag
{
    /// <summary>The socket's memory: 32-bit words at the indexes of <see cref="SockDiag"/>.</summary>
    public const int INET_DIAG_SKMEMINFO = 7;
}
