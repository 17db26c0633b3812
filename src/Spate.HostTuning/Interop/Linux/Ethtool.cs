using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>linux/ethtool.h</c>: the rings of a card, 36 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ethtool_ringparam
{
    public uint cmd;
    public uint rx_max_pending;
    public uint rx_mini_max_pending;
    public uint rx_jumbo_max_pending;
    public uint tx_max_pending;
    public uint rx_pending;
    public uint rx_mini_pending;
    public uint rx_jumbo_pending;
    public uint tx_pending;
}

/// <summary><c>linux/ethtool.h</c>: the queues of a card, 36 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ethtool_channels
{
    public uint cmd;
    public uint max_rx;
    public uint max_tx;
    public uint max_other;
    public uint max_combined;
    public uint rx_count;
    public uint tx_count;
    public uint other_count;
    public uint combined_count;
}

/// <summary><c>linux/ethtool.h</c>: how long a card waits before it interrupts, 92 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ethtool_coalesce
{
    public uint cmd;
    public uint rx_coalesce_usecs;
    public uint rx_max_coalesced_frames;
    public uint rx_coalesce_usecs_irq;
    public uint rx_max_coalesced_frames_irq;
    public uint tx_coalesce_usecs;
    public uint tx_max_coalesced_frames;
    public uint tx_coalesce_usecs_irq;
    public uint tx_max_coalesced_frames_irq;
    public uint stats_block_coalesce_usecs;
    public uint use_adaptive_rx_coalesce;
    public uint use_adaptive_tx_coalesce;
    public uint pkt_rate_low;
    public uint rx_coalesce_usecs_low;
    public uint rx_max_coalesced_frames_low;
    public uint tx_coalesce_usecs_low;
    public uint tx_max_coalesced_frames_low;
    public uint pkt_rate_high;
    public uint rx_coalesce_usecs_high;
    public uint rx_max_coalesced_frames_high;
    public uint tx_coalesce_usecs_high;
    public uint tx_max_coalesced_frames_high;
    public uint rate_sample_interval;
}

/// <summary><c>linux/ethtool.h</c>: flow control on the link, 16 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ethtool_pauseparam
{
    public uint cmd;
    public uint autoneg;
    public uint rx_pause;
    public uint tx_pause;
}

/// <summary>
/// <c>linux/ethtool.h</c>: the link of a card, 48 bytes, ahead of three sets of link modes: what it supports, what it
/// offers, and what the other end offers.
/// </summary>
[StructLayout(LayoutKind.Sequential, Size = 48)]
internal struct ethtool_link_settings
{
    public uint cmd;
    public uint speed;
    public byte duplex;
    public byte port;
    public byte phy_address;
    public byte autoneg;
    public byte mdio_support;
    public byte eth_tp_mdix;
    public byte eth_tp_mdix_ctrl;
    public sbyte link_mode_masks_nwords;
}

/// <summary><c>linux/ethtool.h</c>: 32 features of an interface, a bit each, 16 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ethtool_get_features_block
{
    public uint available;
    public uint requested;
    public uint active;
    public uint never_changed;
}

/// <summary><c>linux/ethtool.h</c>: 32 features to set: those that are valid, 8 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ethtool_set_features_block
{
    public uint valid;
    public uint requested;
}

/// <summary><c>linux/ethtool.h</c>: requests to a card's driver, by SIOCETHTOOL.</summary>
internal static class Ethtool
{
    public const uint ETHTOOL_GCOALESCE = 0x0000000e;
    public const uint ETHTOOL_SCOALESCE = 0x0000000f;
    public const uint ETHTOOL_GRINGPARAM = 0x00000010;
    public const uint ETHTOOL_SRINGPARAM = 0x00000011;
    public const uint ETHTOOL_GPAUSEPARAM = 0x00000012;
    public const uint ETHTOOL_SPAUSEPARAM = 0x00000013;
    public const uint ETHTOOL_GSTRINGS = 0x0000001b;
    public const uint ETHTOOL_GSTATS = 0x0000001d;
    public const uint ETHTOOL_GRXFH = 0x00000029;
    public const uint ETHTOOL_SRXFH = 0x0000002a;
    public const uint ETHTOOL_GSSET_INFO = 0x00000037;
    public const uint ETHTOOL_GFEATURES = 0x0000003a;
    public const uint ETHTOOL_SFEATURES = 0x0000003b;
    public const uint ETHTOOL_GCHANNELS = 0x0000003c;
    public const uint ETHTOOL_SCHANNELS = 0x0000003d;

    public const uint ETHTOOL_GLINKSETTINGS = 0x0000004c;

    public const byte DUPLEX_HALF = 0x00;

    public const int ETH_GSTRING_LEN = 32;
    public const int ETH_SS_STATS = 1;
    public const int ETH_SS_FEATURES = 4;

    public const int UDP_V4_FLOW = 0x02;
    public const int UDP_V6_FLOW = 0x06;
    public const int RXH_VLAN = 1 << 2;
    public const int RXH_L3_PROTO = 1 << 3;
    public const int RXH_IP_SRC = 1 << 4;
    public const int RXH_IP_DST = 1 << 5;
    public const int RXH_L4_B_0_1 = 1 << 6;
    public const int RXH_L4_B_2_3 = 1 << 7;
}

/// <summary><c>linux/sockios.h</c>: requests about interfaces.</summary>
internal static class SockIos
{
    public const uint SIOCETHTOOL = 0x8946;
}

/// <summary><c>linux/if.h</c>: a request about an interface (netdevice(7)), 40 bytes on 64-bit systems.</summary>
[StructLayout(LayoutKind.Sequential, Size = 40)]
internal struct @ifreq
{
    /// <summary>The first 8 bytes of the name, which ends in a NUL.</summary>
    public ulong NameStart;

    public ulong NameEnd;

    /// <summary>The kernel reads and writes there during the call.</summary>
    public nint ifr_data;
}

/// <summary><c>linux/if.h</c>: names of interfaces.</summary>
internal static class If
{
    /// <summary>With the terminating NUL.</summary>
    public const int IFNAMSIZ = 16;
}

/// <summary><c>sys/ioctl.h</c>: requests to a descriptor.</summary>
internal static partial class SysIoctl
{
    /// <summary>
    /// The answer comes into the same buffer, which must have room for it. <c>socket</c>: any of the interface's
    /// network namespace. A request for features is accepted with a positive number where something of it could not be
    /// done (ETHTOOL_F_WISH).
    /// </summary>
    public static unsafe bool Ask(SafeFileHandle socket, ref ifreq request, Span<byte> buffer)
    {
        // SAFETY: the buffer is pinned for the call, and the kernel keeps no pointer to it. The kernel writes as much
        // as the request's own length fields ask for, which the callers take from the buffer's length.
        fixed (byte* data = buffer)
        {
            request.ifr_data = (nint)data;
            return ioctl(socket, SockIos.SIOCETHTOOL, ref request) >= 0;
        }
    }

    /// <summary>
    /// ioctl(2). The C function is variadic; Linux passes these arguments as those of other functions.
    /// </summary>
    [LibraryImport("libc", SetLastError = true)]
    private static partial int ioctl(SafeFileHandle fd, nuint op, ref ifreq request);
}
