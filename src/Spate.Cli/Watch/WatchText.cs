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
                ? "nothing grew that counts losses, errors or delays"
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
