using Spate.Cli.Shell.Terminal;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Host;

/// <summary>What a run took of the host: memory, the link, the CPUs.</summary>
internal static class HostText
{
    /// <param name="isVerbose">Whether memory and interfaces are written: few readers of figures need them.</param>
    public static void Write(EndReport report, bool showsAllCores, bool isVerbose, TerminalWriter writer)
    {
        if (isVerbose) WriteMemoryAndLinks(report, writer);
        HostCpuText.WriteSummary(report, showsAllCores, writer);
    }

    private static void WriteMemoryAndLinks(EndReport report, TerminalWriter writer)
    {
        writer.Line($"resident memory {Mebibytes(report.ResidentBytes)}, "
            + $"peak {Mebibytes(report.ResidentPeakBytes)}; allocated {Units.Count(report.AllocatedBytes)} bytes, "
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

/// <summary>What the CPUs of the host did: the busiest of an interval, and the limit of a run.</summary>
internal static class HostCpuText
{
    private static readonly Table<CpuReport> Table = new(
        new("CPU", Align.Right, 0, static core => $"{core.Cpu}"),
        new("busy %", Align.Right, 0, static core => Percent(core.BusyPercent)),
        new("user", Align.Right, 2, static core => Percent(core.UserPercent)),
        new("system", Align.Right, 2, static core => Percent(core.SystemPercent)),
        new("softirq", Align.Right, 1, static core => Percent(core.SoftirqPercent)),
        new("irq", Align.Right, 4, static core => Percent(core.IrqPercent)),
        new("steal", Align.Right, 3, static core => Percent(core.StealPercent)),
        new("idle", Align.Right, 5, static core => Percent(core.IdlePercent)),
        new("NET_RX runs", Align.Right, 6, static core => Units.Count(core.ReceiveInterrupts)),
        new("own", Align.Right, 0, static core => core.OwnPercent is { } own ? Percent(own) : Units.NotKnown),
        new("of this run", Align.Left, 0, static core => string.Join(", ", core.Roles)));

    // The last two columns are about a run.
    private static readonly Table<CpuReport> HostTable = new([.. Table.Columns.SkipLast(2)]);

    /// <summary>The columns on the busiest CPU of an interval: how busy it was, and the largest part of that.</summary>
    /// <param name="priority">The priority of the first of these columns; the other one is left out before it.</param>
    public static Column<TLine>[] BusiestColumns<TLine>(Func<TLine, IntervalReport?> intervalOf, int priority) =>
    [
        new("busiest", Align.Right, priority, line => Busiest(intervalOf(line)?.Cores), MinWidth: 9),
        new("main use", Align.Right, priority + 1, line => LargestPart(intervalOf(line)?.Cores), MinWidth: 13),
    ];

    /// <summary>The column on the CPUs with work of the run: the last one, as its cells vary in length.</summary>
    public static Column<TLine> PlacesColumn<TLine>(Func<TLine, IntervalReport?> intervalOf, int priority) =>
        new("CPUs of this run", Align.Left, priority, line => Places(intervalOf(line)), MinWidth: 16);

    public static string Sentence(IntervalReport interval)
    {
        string places = Places(interval) is { Length: > 1 } all ? $", {all}" : "";
        return Sentence(interval.Cores) + places;
    }

    public static void WriteTable(CpuReport[] cores, TerminalWriter writer) => writer.Table(Table, cores);

    /// <summary>Writes a table of CPUs without what a run did there.</summary>
    public static void WriteHostTable(CpuReport[] cores, TerminalWriter writer) => writer.Table(HostTable, cores);

    public static string Sentence(CpuReport[] cores)
    {
        string part = LargestPart(cores) is { Length: > 1 } known ? $" ({known})" : "";
        return $"busiest CPU {Busiest(cores)}{part}";
    }

    public static string LineOf(CpuReport core) =>
        $"CPU {core.Cpu}: busy {Percent(core.BusyPercent)} %, user {Percent(core.UserPercent)}, "
        + $"system {Percent(core.SystemPercent)}, softirq {Percent(core.SoftirqPercent)}, "
        + $"irq {Percent(core.IrqPercent)}, steal {Percent(core.StealPercent)}";

    /// <summary>Writes the sentence on the limit; with <c>--cores</c> also a table of all CPUs.</summary>
    public static void WriteSummary(MeasurementReport report, bool showsAll, TerminalWriter writer)
    {
        if (report.Limit is { } limit) writer.Line(limit);
        if (!showsAll || report.Cores.Length == 0) return;

        writer.Line();
        WriteTable(report.Cores, writer);
    }

    private static string Busiest(CpuReport[]? cores) =>
        cores is null ? ""
        : BusiestOf(cores) is { } busiest ? $"{busiest.Cpu}: {busiest.BusyPercent:0} %"
        : Units.NotKnown;

    private static string LargestPart(CpuReport[]? cores)
    {
        if (cores is null) return "";

        if (BusiestOf(cores)?.FindLargestPart() is not { Percent: > 0 } part) return Units.NotKnown;

        return $"{part.Percent:0} % {part.Name}";
    }

    // For example "interrupts 0, receive 1-3".
    private static string Places(IntervalReport? interval)
    {
        if (interval is null) return "";

        IEnumerable<string> roles = interval.Cores
            .SelectMany(static core => core.Roles.Select(role => (Role: role, core.Cpu)))
            .GroupBy(static one => one.Role, static one => one.Cpu, StringComparer.Ordinal)
            .OrderBy(static one => one.Key, StringComparer.Ordinal)
            .Select(static one => $"{one.Key} {CpuList.Format([.. one])}");
        return string.Join(", ", roles) is { Length: > 0 } text ? text : Units.NotKnown;
    }

    private static CpuReport? BusiestOf(CpuReport[] cores) => cores.MaxBy(static core => core.BusyPercent);

    private static string Percent(double value) => Units.Number(value, value is > 0 and < 10 ? "0.0" : "0");
}

/// <summary>Describes a placement of threads on CPUs, with one line for all threads of the same reason.</summary>
internal static class CpuText
{
    // Up to this number of CPUs, a line can list each one in the order of the threads.
    private const int MaxOrderedCount = 16;

    public static IEnumerable<string> Explain(CpuPlan plan)
    {
        foreach (IGrouping<string, PlannedCpu> group in plan.Threads.GroupBy(
            static thread => thread.Why, StringComparer.Ordinal))
        {
            int[] numbers = [.. group.Select(static thread => thread.Number)];
            string threads = numbers.Length == 1 ? "1 thread on CPU" : $"{numbers.Length} threads on CPUs";
            string list = numbers.Length > MaxOrderedCount ? CpuList.Format(numbers) : string.Join(',', numbers);
            yield return $"--cpu auto: {threads} {list}: {group.Key}";
        }

        foreach (string warning in plan.Warnings)
        {
            yield return Warning(warning);
        }
    }

    public static string Warning(string text) => "warning: --cpu: " + text;
}
