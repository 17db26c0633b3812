using Spate.Cli.Shell.Terminal;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Host;

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
        new("most of it", Align.Right, priority + 1, line => LargestPart(intervalOf(line)?.Cores), MinWidth: 13),
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
