using Spate.Cli.Host;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Watch;

/// <summary>
/// The text of <c>spate watch</c>. On a terminal, tables are redrawn in place each interval; elsewhere, each interval
/// adds lines that begin with its time. In both, <c>!</c> marks what grew, and what grew is explained once.
/// </summary>
internal sealed class WatchText(TerminalWriter writer) : IDisposable
{
    private readonly LiveBlock? _live = writer.CanRedraw ? new LiveBlock(writer) : null;
    private readonly HashSet<string> _explained = new(StringComparer.Ordinal);
    private readonly HashSet<string> _problems = new(StringComparer.Ordinal);

    public void WriteInterval(WatchReport report)
    {
        _problems.UnionWith(report.Checks.Select(FindingText.NameOf));
        string explanation = writer.Draw(drawn => Explain(report, drawn));
        if (_live is null)
        {
            WriteLines(report);
            writer.Raw(explanation);
            return;
        }

        // Explanations stay above the block that is redrawn.
        if (explanation.Length > 0)
        {
            _live.Dispose();
            writer.Raw(explanation);
        }

        string[] lines = writer.Draw(drawn => Draw(report, drawn)).Split(Environment.NewLine)[..^1];
        bool isCut = lines.Length > writer.MaxRedrawnLines;
        _live.Show(string.Concat((isCut ? lines[..writer.MaxRedrawnLines] : lines)
            .Select(static line => line + Environment.NewLine)));
    }

    public void WriteSummary(WatchReport report)
    {
        _live?.Dispose();
        writer.Line();
        writer.Line($"watched for {report.Seconds:0.0} s, profile {report.Profile}: "
            + (report.Counters.Length + report.Checks.Length == 0
                ? "no counter of losses, errors or delays grew"
                : FindingText.Count(report.Problems, "problem")));
        WatchTable.WriteTraffic(report, writer);
        WatchTable.WriteGrown(report, writer);
        foreach (FindingReport check in report.Checks)
        {
            writer.Line();
            FindingText.Write(check, writer);
        }

        if (report.Checks is not [var first, ..]) return;

        writer.Line();
        FindingText.WriteFirst(first, writer);
    }

    public void Dispose() => _live?.Dispose();

    private static string TimeOf(WatchReport report) => $"{report.StartSeconds + report.Seconds:0.0} s";

    // Each line can be found by its time and by what it is about, and '!' finds what grew.
    private void WriteLines(WatchReport report)
    {
        string time = TimeOf(report);
        foreach (WatchInterface one in WatchTable.Busy(report))
        {
            writer.Line($"{time} {one.Name}: in {Units.PerSecond(one.RxPacketsPerSecond)}/s "
                + $"{Units.BitsPerSecond(one.RxBitsPerSecond)}, out {Units.PerSecond(one.TxPacketsPerSecond)}/s "
                + $"{Units.BitsPerSecond(one.TxBitsPerSecond)}, dropped {WatchTable.DroppedOf(one)}, "
                + $"errors {WatchTable.ErrorsOf(one)}");
        }

        foreach (var core in report.Cores)
        {
            writer.Line($"{time} {HostCpuText.LineOf(core)}{(report.FullCpus.Contains(core.Cpu) ? ", full" : "")}");
        }

        foreach (WatchSocket one in report.Sockets)
        {
            writer.Line($"{time} {(one.Drops > 0 ? "! " : "")}port {one.Port}"
                + $"{(one.Program is { } program ? $" ({program})" : "")}: dropped {Units.Count(one.Drops)}, "
                + $"queue {Units.Count(one.QueueBytes)} of {Units.Count(one.BufferBytes)} bytes");
        }

        foreach (WatchCounter one in report.Counters) writer.Line($"{time} {WatchTable.LineOf(one)}");

        if (report.Counters.Length == 0) writer.Line($"{time} nothing grew");
    }

    private void Draw(WatchReport report, TerminalWriter drawn)
    {
        string full = report.FullCpus.Length > 0 ? $"; full: CPU {string.Join(", ", report.FullCpus)}" : "";
        string busiest = report.Cores.Length > 0 ? HostCpuText.Sentence(report.Cores) : "CPUs idle";
        drawn.Line($"{TimeOf(report)}: {busiest}{full}; {FindingText.Count(_problems.Count, "problem")} so far; "
            + "Ctrl-C ends");
        WatchTable.WriteAlerts(report, drawn);
        WatchTable.WriteTraffic(report, drawn);
    }

    private void Explain(WatchReport report, TerminalWriter drawn)
    {
        foreach (FindingReport check in report.Checks)
        {
            if (_explained.Add(FindingText.NameOf(check))) FindingText.Write(check, drawn);
        }

        foreach (WatchCounter one in report.Counters)
        {
            if (one.Meaning is { } meaning && _explained.Add(one.Name)) drawn.Line($"{one.Name}: {meaning}");
        }
    }
}

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
