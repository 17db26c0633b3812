using System.Runtime.InteropServices;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Files;

namespace Spate.HostTuning.Usage;

/// <summary>What the whole system has counted since it was started; two readings give a rate.</summary>
/// <param name="Interrupts">
/// Interrupts of all CPUs and devices, on most architectures also timers and calls between CPUs (<c>intr</c> of
/// proc_stat(5)); null where the system does not tell.
/// </param>
/// <param name="BacklogDrops">
/// Datagrams, or coalesced buffers, that the kernel dropped between sending and the receiving socket because a CPU's
/// queue of them was full (net.core.netdev_max_backlog; second column of <c>/proc/net/softnet_stat</c>); null where the
/// system does not tell.
/// </param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct SystemCounts(long? Interrupts, long? BacklogDrops)
{
    // "intr" is one line after those of the CPUs, some 80 characters each, of which there may be 8192; its first number
    // is the total. /proc/net/softnet_stat has some 120 characters per CPU.
    private const int MaxFileBytes = 1024 * 1024;
    private const int UsualFileBytes = 16 * 1024;

    // What show_stat of the kernel's fs/proc/stat.c counts in, on all processors that .NET runs on: USER_HZ is 100.
    private const long TickNanoseconds = 10_000_000;

    // "cpu0 user nice system idle iowait irq softirq steal" (proc_stat(5)).
    private const int StealWord = 8;

    /// <summary>Reads both kinds of counts.</summary>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    public static SystemCounts Read(string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        Span<byte> buffer = stackalloc byte[UsualFileBytes];
        using HostFile stat = files.Open("proc/stat");
        long? interrupts = HostText.NumberAfter(stat.ReadAll(buffer), "intr "u8)
            ?? HostText.NumberAfter(ReadWhole(stat, buffer), "intr "u8);
        using HostFile softnet = files.Open("proc/net/softnet_stat");
        return new SystemCounts(interrupts, SoftnetCounters.Parse(ReadWhole(softnet, buffer)).Dropped);
    }

    /// <summary>
    /// Reads how long CPUs of this virtual machine could not run because its host ran something else (<c>steal</c> of
    /// proc_stat(5)), in steps of 10 ms: the mean of the CPUs, which compares with the time of one thread.
    /// </summary>
    /// <param name="cpuNumbers">
    /// The CPUs that the thread may run on: one if it is pinned. The mean leaves out those that are offline.
    /// </param>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    /// <returns>Nanoseconds since the machine was started; null where the system does not tell.</returns>
    public static long? ReadStealNanoseconds(IReadOnlyList<int> cpuNumbers, string rootPath = "/")
    {
        Span<byte> buffer = stackalloc byte[UsualFileBytes];
        using HostFile file = new HostFiles(rootPath).Open("proc/stat");
        ReadOnlySpan<byte> stat = ReadWhole(file, buffer);
        (long ticks, int count) = (0, 0);
        foreach (Range range in stat.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> line = stat[range];
            if (!line.StartsWith("cpu"u8)) break;

            ReadOnlySpan<byte> number = HostText.WordAt(line, 0)["cpu".Length..];
            if (HostText.Number(number) is { } cpu && cpuNumbers.Contains((int)cpu)
                && HostText.Number(HostText.WordAt(line, StealWord)) is { } steal)
            {
                (ticks, count) = (ticks + steal, count + 1);
            }
        }

        return count == 0 ? null : ticks * TickNanoseconds / count;
    }

    /// <summary>What was counted between two readings; null where either is unknown.</summary>
    public static SystemCounts operator -(SystemCounts later, SystemCounts earlier) =>
        new(later.Interrupts - earlier.Interrupts, later.BacklogDrops - earlier.BacklogDrops);

    /// <summary>What was counted between two readings; null where either is unknown.</summary>
    public static SystemCounts Subtract(SystemCounts later, SystemCounts earlier) => later - earlier;

    // Allocates only on machines with more than a hundred CPUs, because a reading must not disturb the measurement.
    private static ReadOnlySpan<byte> ReadWhole(HostFile file, Span<byte> buffer)
    {
        ReadOnlySpan<byte> text = file.ReadAll(buffer);
        return text.Length < buffer.Length ? text : file.ReadAll(new byte[MaxFileBytes]);
    }
}
