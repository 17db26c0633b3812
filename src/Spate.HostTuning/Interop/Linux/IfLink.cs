using System.Runtime.InteropServices;

namespace Spate.HostTuning.Interop.Linux;

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
