using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.Drain;

/// <summary>The tables of <c>spate bench drain</c>, for each size.</summary>
internal static class DrainText
{
    private static readonly Table<DrainRow> Table = new(
        new("row", Align.Left, 0, static row => row.Name),
        new("receive ns", Align.Right, 0, static row => $"{row.ReceiveNanosecondsPerDatagram:0.0}"),
        new("spread %", Align.Right, 2, static row => BenchText.Spread(row.ReceiveSpreadPercent, row.Samples)),
        new("send ns", Align.Right, 1, static row => $"{row.SendNanosecondsPerDatagram:0.0}"),
        new("spread %", Align.Right, 3, static row => BenchText.Spread(row.SendSpreadPercent, row.Samples)));

    public static void Write(DrainReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"{BenchText.CpuOf(report)}; medians of {BenchText.Rounds(report.Rounds)}; "
            + $"{report.Seconds:0} s in all");
        foreach (IGrouping<int, DrainRow> rows in report.Rows.GroupBy(static row => row.SizeBytes))
        {
            writer.Line();
            writer.Line($"{rows.Key} bytes, nanoseconds per datagram");
            writer.Table(Table, rows);
            BenchText.WriteGsoFallbacks(rows.Select(static row => (row.Name, row.GsoFallbacks)), writer);
        }
    }
}
