using Spate.Cli.Terminal;
using Spate.Measurement.Cores;
using Spate.Measurement.Reports;

namespace Spate.Cli.Cores;

/// <summary>What the CPUs of the host did: the busiest of an interval, and the limit of a run.</summary>
internal static class CoreText
{
    private static readonly Table<CoreReport> Table = new(
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

    /// <summary>The busiest CPU of an interval and how busy it was; "-" where that is not known.</summary>
    public static string Busiest(IntervalReport interval) =>
        interval.Cores.MaxBy(static core => core.BusyPercent) is { } busiest
            ? $"{busiest.Cpu}: {busiest.BusyPercent:0} %"
            : Units.NotKnown;

    /// <summary>Writes a table of CPUs, for <c>--cores</c>.</summary>
    public static void WriteTable(CoreReport[] cores, Page page) => page.Table(Table, cores);

    /// <summary>Writes the sentence on the limit; with <c>--cores</c> also a table of all CPUs.</summary>
    public static void WriteSummary(MeasurementReport report, bool showsAll, Page page)
    {
        if (report.Limit is { } limit) page.Line(limit);
        if (!showsAll || report.Cores.Length == 0) return;

        page.Line();
        WriteTable(report.Cores, page);
    }

    private static string Percent(double value) => Units.Number(value, value is > 0 and < 10 ? "0.0" : "0");
}
