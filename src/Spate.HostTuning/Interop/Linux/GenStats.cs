using System.Runtime.InteropServices;

namespace Spate.HostTuning.Interop.Linux;

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
