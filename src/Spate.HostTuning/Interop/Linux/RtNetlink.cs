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

/// <summary><c>linux/rtnetlink.h</c>: requests for interfaces and queueing disciplines (rtnetlink(7)).</summary>
internal static class RtNetlink
{
    public const int RTM_NEWLINK = 16;
    public const int RTM_GETLINK = 18;
    public const int RTM_NEWQDISC = 36;
    public const int RTM_GETQDISC = 38;

    public const int TCA_KIND = 1;
    public const int TCA_STATS2 = 7;
}
