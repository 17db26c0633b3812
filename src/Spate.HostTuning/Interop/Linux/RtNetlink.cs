using System.Runtime.InteropServices;

namespace Spate.HostTuning.Interop.Linux;

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
