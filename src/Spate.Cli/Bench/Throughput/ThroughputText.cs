using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.Throughput;

/// <summary>The tables and charts of <c>spate bench</c>, for each size.</summary>
internal static class ThroughputText
{
    private static readonly Table<(BenchRow Row, BenchReport Report)> Table = new(
        new("row", Align.Left, 0, static line => line.Row.Name),
        new("datagrams/s", Align.Right, 0, static line => Units.PerSecond(line.Row.DatagramsPerSecond)),
        new("Gbit/s", Align.Right, 5, static line => $"{line.Row.BitsPerSecond / 1e9:0.00}"),
        new("lost %", Align.Right, 1, static line => Units.Number(line.Row.LostPercent, "0.0")),
        new("send ns", Align.Right, 2, static line => Units.Number(line.Row.SendNanosecondsPerDatagram, "0")),
        new("receive ns", Align.Right, 2, static line =>
            Units.Number(line.Row.ReceiveNanosecondsPerDatagram, "0")),
        new("B/datagram", Align.Right, 6, static line => Units.Number(line.Row.AllocatedBytesPerDatagram, "0.00")),
        new("gen-0", Align.Right, 8, static line => Units.Number(line.Row.Gen0Collections, "0")),
        new("per call", Align.Right, 7, static line => Units.Number(line.Row.DatagramsPerCall, "0.0")),
        new("times socket-async", Align.Right, 3, static line =>
            Units.Number(line.Report.TimesBaseline(line.Row), "0.0")),
        new("spread %", Align.Right, 4, static line => BenchText.Spread(line.Row.SpreadPercent, line.Row.Samples)));

    public static void Write(BenchReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"{report.Placement}; medians of {BenchText.Rounds(report.Rounds)} of "
            + $"{report.RoundSeconds:0.00} s; {report.Seconds:0} s in all");
        foreach (IGrouping<int, BenchRow> rows in report.Rows.GroupBy(static row => row.SizeBytes))
        {
            writer.Line();
            writer.Line($"{rows.Key} bytes");
            writer.Table(Table, rows.Select(row => (row, report)));
            writer.Line();
            writer.Bars([.. rows.Select(static row => new Bar(
                row.Name, row.DatagramsPerSecond, $"{Units.PerSecond(row.DatagramsPerSecond)}/s"))]);
            BenchText.WriteGsoFallbacks(rows.Select(static row => (row.Name, row.GsoFallbacks)), writer);
        }
    }
}
