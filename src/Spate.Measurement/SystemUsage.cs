using System.Globalization;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Spate.HostTuning;

namespace Spate.Measurement;

/// <summary>What /proc tells of the machine and the process besides CPU. Linux; elsewhere all is null.</summary>
internal static class SystemUsage
{
    private const int BytesPerKilobyte = 1024;
    private const int ProcessFileBytesMost = 8 * 1024;

    // A line of some 120 characters per CPU, of which there may be 8192.
    private const int SoftnetBytesMost = 1024 * 1024;
    private const int DroppedColumn = 1;

    /// <summary>Interrupts of all CPUs since the machine was started.</summary>
    public static long? Interrupts => InterruptCounts.Read();

    /// <summary>
    /// Datagrams, or coalesced buffers, that the kernel dropped between sending and the receiving socket because a
    /// CPU's queue of them was full (net.core.netdev_max_backlog; second column of /proc/net/softnet_stat).
    /// </summary>
    public static long? BacklogDrops
    {
        get
        {
            using SafeFileHandle? file = ProcFile.TryOpen("/proc/net/softnet_stat");
            return SumOfDrops(Encoding.ASCII.GetString(ProcFile.ReadAll(file, new byte[SoftnetBytesMost])));
        }
    }

    /// <summary>
    /// Memory that the process has locked or pinned (proc_pid_status(5)). Rings of io_uring are pinned memory up to
    /// Linux 5.11, and since then charged to the control group instead.
    /// </summary>
    public static long? LockedBytes =>
        (Read("/proc/self/status", "VmLck:"u8) + (Read("/proc/self/status", "VmPin:"u8) ?? 0)) * BytesPerKilobyte;

    /// <summary>The soft limit of locked memory in bytes; null for none.</summary>
    public static long? LockedLimitBytes => Read("/proc/self/limits", "Max locked memory"u8);

    private static long? Read(string path, ReadOnlySpan<byte> key)
    {
        Span<byte> buffer = stackalloc byte[ProcessFileBytesMost];
        using SafeFileHandle? file = ProcFile.TryOpen(path);
        return ProcFile.NumberAfter(ProcFile.Read(file, buffer), key);
    }

    // A line per CPU, its columns hexadecimal.
    private static long? SumOfDrops(string softnet)
    {
        long? sum = null;
        foreach (string line in softnet.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            string[] columns = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (columns.Length > DroppedColumn
                && long.TryParse(columns[DroppedColumn], NumberStyles.HexNumber, null, out long dropped))
            {
                sum = (sum ?? 0) + dropped;
            }
        }

        return sum;
    }
}
