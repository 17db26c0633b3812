using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>What the whole system has counted since it was started; null where it does not tell.</summary>
/// <param name="Interrupts">On most architectures also timers and calls between CPUs (proc_stat(5)).</param>
/// <param name="BacklogDrops">A CPU's queue was full (second column of <c>/proc/net/softnet_stat</c>).</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct SystemCounts(long? Interrupts, long? BacklogDrops)
{
    // "intr" is one line after those of the CPUs, some 80 characters each, of which there may be 8192; its first number
    // is the total. /proc/net/softnet_stat has some 120 characters per CPU.
    private const int MaxFileBytes = 1024 * 1024;
    private const int UsualFileBytes = 16 * 1024;

    /// <summary>Linux counts those that were read, in this namespace, a coalesced buffer as one.</summary>
    public long? UdpReceived { get; init; }

    /// <summary>Did not get into a socket, for instance because it was full; null if unknown.</summary>
    public long? UdpErrors { get; init; }

    public long? UdpNoPorts { get; init; }

    public static SystemCounts Read(string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        Span<byte> buffer = stackalloc byte[UsualFileBytes];
        using HostFile stat = files.Open("proc/stat");
        long? interrupts = FileText.NumberAfter(stat.ReadAll(buffer), "intr "u8)
            ?? FileText.NumberAfter(ReadWhole(stat, buffer), "intr "u8);
        using HostFile softnet = files.Open("proc/net/softnet_stat");
        (long? received, long? errors, long? noPorts) = HostUdpReader.Read(files);
        return new SystemCounts(interrupts, SoftnetCounters.Parse(ReadWhole(softnet, buffer)).Dropped)
        {
            UdpReceived = received,
            UdpErrors = errors,
            UdpNoPorts = noPorts,
        };
    }

    public static SystemCounts operator -(SystemCounts later, SystemCounts earlier) =>
        new(later.Interrupts - earlier.Interrupts, later.BacklogDrops - earlier.BacklogDrops)
        {
            UdpReceived = CounterDelta.Narrow(later.UdpReceived, earlier.UdpReceived),
            UdpErrors = CounterDelta.Narrow(later.UdpErrors, earlier.UdpErrors),
            UdpNoPorts = CounterDelta.Narrow(later.UdpNoPorts, earlier.UdpNoPorts),
        };

    public static SystemCounts Subtract(SystemCounts later, SystemCounts earlier) => later - earlier;

    // Allocates only on machines with more than a hundred CPUs, because a reading must not disturb the measurement.
    private static ReadOnlySpan<byte> ReadWhole(HostFile file, Span<byte> buffer)
    {
        ReadOnlySpan<byte> text = file.ReadAll(buffer);
        return text.Length < buffer.Length ? text : file.ReadAll(new byte[MaxFileBytes]);
    }
}
