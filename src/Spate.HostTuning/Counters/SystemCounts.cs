using System.Net.NetworkInformation;
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

    // A file of UDP, of either name, has some 3 kB, the same on every machine.
    private const int MaxUdpFileBytes = 8192;
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
        (long? received, long? errors, long? noPorts) = ReadUdp(files);
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

    // Allocates only on machines with more than a hundred CPUs, because a reading must not disturb the measurement.
    private static ReadOnlySpan<byte> ReadWhole(HostFile file, Span<byte> buffer)
    {
        ReadOnlySpan<byte> text = file.ReadAll(buffer);
        return text.Length < buffer.Length ? text : file.ReadAll(new byte[MaxFileBytes]);
    }

    /// <summary>
    /// The counts of UDP, IPv4 and IPv6 together. Linux: of the thread's network namespace. Windows: 32 bits that wrap
    /// (GetUdpStatisticsEx).
    /// </summary>
    internal static (long? Received, long? Errors, long? NoPorts) ReadUdp(HostFiles files)
    {
        if (files.IsEmpty) return OperatingSystem.IsWindows() ? ReadWindows() : default;

        Span<byte> buffer = stackalloc byte[MaxUdpFileBytes];
        using HostFile snmp = files.Open("proc/thread-self/net/snmp");
        UdpProtocolCounters udp4 = ProtocolParser.ParseUdp4(snmp.ReadAll(buffer));
        using HostFile snmp6 = files.Open("proc/thread-self/net/snmp6");
        UdpProtocolCounters udp6 = ProtocolParser.ParseUdp6(snmp6.ReadAll(buffer));

        // Without IPv6 there is no second file, and nothing that it could add.
        return (
            udp4.InDatagrams + (udp6.InDatagrams ?? 0),
            udp4.InErrors + (udp6.InErrors ?? 0),
            udp4.NoPorts + (udp6.NoPorts ?? 0));
    }

    private static (long? Received, long? Errors, long? NoPorts) ReadWindows()
    {
        try
        {
            var host = IPGlobalProperties.GetIPGlobalProperties();
            UdpStatistics udp4 = host.GetUdpIPv4Statistics();
            UdpStatistics udp6 = host.GetUdpIPv6Statistics();
            return (
                udp4.DatagramsReceived + udp6.DatagramsReceived,
                udp4.IncomingDatagramsWithErrors + udp6.IncomingDatagramsWithErrors,
                udp4.IncomingDatagramsDiscarded + udp6.IncomingDatagramsDiscarded);
        }
        catch (NetworkInformationException)
        {
            return default;
        }
    }
}
