using Spate.Cli.Shell.Terminal;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Host;

/// <summary>What a run took of the host: memory, the link, the CPUs.</summary>
internal static class HostText
{
    /// <param name="isVerbose">Whether memory and interfaces are written: a reader of figures seldom needs them.</param>
    public static void Write(EndReport report, bool showsAllCores, bool isVerbose, TerminalWriter writer)
    {
        if (isVerbose) WriteMemoryAndLinks(report, writer);
        HostCpuText.WriteSummary(report, showsAllCores, writer);
    }

    private static void WriteMemoryAndLinks(EndReport report, TerminalWriter writer)
    {
        writer.Line($"resident memory {Mebibytes(report.ResidentBytes)}, "
            + $"at most {Mebibytes(report.ResidentPeakBytes)}; allocated {Units.Count(report.AllocatedBytes)} bytes, "
            + $"{report.Gen0Collections} collections");
        foreach (LinkReport link in report.Links) writer.Line(LineOf(link, report));
    }

    private static string LineOf(LinkReport link, EndReport report)
    {
        string speed = link.SpeedBitsPerSecond is { } bits ? $" of {Units.BitsPerSecond(bits)}" : "";
        string wire = report.WireBitsPerSecond is { } rate && report.Links.Length == 1
            ? $", {Units.BitsPerSecond(rate)} on the wire"
                + (report.LinkPercent is { } percent ? $" ({Units.Number(percent, "0.0")} % of the link)" : "")
            : "";
        bool isCard = link.Devices is [var device] && device.Equals(link.Interface, StringComparison.Ordinal);
        string of = link.Devices.Length == 0 || isCard
            ? ""
            : $" of {string.Join(", ", link.Devices)}";
        string queues = (link.ReceiveQueuesInUse, link.ReceiveQueues) switch
        {
            ({ } used, { } all) => $", {used} of {all} receive queues{of} used",
            (null, { } all) => $", {all} receive queue{(all == 1 ? "" : "s")}{of}",
            _ => "",
        };
        string node = link.Node is { } number ? $", NUMA node {number}" : "";
        return $"interface {link.Interface}{speed}, MTU {Units.Count(link.MtuBytes)}{wire}{queues}{node}";
    }

    private static string Mebibytes(long bytes) => $"{bytes / (1024.0 * 1024):0} MiB";
}
