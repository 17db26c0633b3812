using Spate.Cli.Host;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Watch;

/// <summary>The tables of <c>spate watch</c>: interfaces, CPUs, sockets, and what grew.</summary>
internal static class WatchTable
{
    // What fits a usual terminal together; JSON has all.
    private const int MaxInterfaces = 8;
    private const int MaxCores = 8;
    private const int MaxAlerts = 6;

    private static readonly Table<WatchInterface> Interfaces = new(
        new("interface", Align.Left, 0, static one => one.Name),
        new("in\n/s", Align.Right, 0, static one => Units.PerSecond(one.RxPacketsPerSecond)),
        new("in\nrate", Align.Right, 2, static one => Units.BitsPerSecond(one.RxBitsPerSecond)),
        new("out\n/s", Align.Right, 0, static one => Units.PerSecond(one.TxPacketsPerSecond)),
        new("out\nrate", Align.Right, 3, static one => Units.BitsPerSecond(one.TxBitsPerSecond)),
        new("dropped", Align.Right, 0, DroppedOf),
        new("errors", Align.Right, 1, ErrorsOf));

    private static readonly Table<WatchSocket> Sockets = new(
        new("", Align.Left, 0, static one => one.Drops > 0 ? "!" : ""),
        new("port", Align.Right, 0, static one => $"{one.Port}"),
        new("program", Align.Left, 1, static one => one.Program ?? Units.NotKnown),
        new("queue bytes", Align.Right, 2, static one => Units.Count(one.QueueBytes)),
        new("buffer bytes", Align.Right, 3, static one => Units.Count(one.BufferBytes)),
        new("dropped", Align.Right, 0, static one => Units.Count(one.Drops)));

    private static readonly Table<WatchCounter> Counters = new(
        new("", Align.Left, 0, static _ => "!"),
        new("where", Align.Left, 0, static one => one.Place),
        new("counter", Align.Left, 0, static one => one.Name),
        new("growth", Align.Right, 0, static one => Units.Count(one.Growth)),
        new("/s", Align.Right, 1, static one => Units.PerSecond(one.PerSecond)));

    public static string DroppedOf(WatchInterface one) => Units.Count(one.RxDropped + one.TxDropped);

    public static string ErrorsOf(WatchInterface one) => Units.Count(one.RxErrors + one.TxErrors);

    public static string LineOf(WatchCounter one) =>
        $"! {one.Place} {one.Name} +{Units.Count(one.Growth)} ({Units.PerSecond(one.PerSecond)}/s)";

    /// <summary>The interfaces with packets or losses, a bounded number of the busiest, in their order.</summary>
    public static IEnumerable<WatchInterface> Busy(WatchReport report)
    {
        HashSet<string> busiest =
        [
            .. report.Interfaces.Where(static one => Activity(one) > 0)
                .OrderByDescending(Activity)
                .Take(MaxInterfaces)
                .Select(static one => one.Name),
        ];
        return report.Interfaces.Where(one => busiest.Contains(one.Name));
    }

    public static void WriteAlerts(WatchReport report, TerminalWriter writer)
    {
        foreach (WatchCounter one in report.Counters.Take(MaxAlerts)) writer.Alert(LineOf(one));

        int more = report.Counters.Length - MaxAlerts;
        if (more > 0) writer.Alert($"! and {more} more");
    }

    public static void WriteTraffic(WatchReport report, TerminalWriter writer)
    {
        WatchInterface[] busy = [.. Busy(report)];
        if (busy.Length > 0) writer.Table(Interfaces, busy);

        if (report.Cores.Length > 0) HostCpuText.WriteHostTable(Busiest(report.Cores), writer);

        if (report.Sockets.Length > 0) writer.Table(Sockets, report.Sockets);
    }

    public static void WriteGrown(WatchReport report, TerminalWriter writer)
    {
        if (report.Counters.Length == 0) return;

        writer.Line();
        writer.Table(Counters, report.Counters);
    }

    private static long Activity(WatchInterface one) =>
        (one.RxPackets ?? 0) + (one.TxPackets ?? 0) + (one.RxDropped ?? 0) + (one.TxDropped ?? 0)
        + (one.RxErrors ?? 0) + (one.TxErrors ?? 0);

    private static CpuReport[] Busiest(CpuReport[] cores) =>
    [
        .. cores.OrderByDescending(static core => core.BusyPercent).Take(MaxCores).OrderBy(static core => core.Cpu),
    ];
}
