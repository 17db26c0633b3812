using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.Sockets;

/// <summary>The table of <c>spate bench sockets</c>.</summary>
internal static class SocketsText
{
    private static readonly Table<SocketsRow> Table = new(
        new("sockets", Align.Right, 0, static row => $"{row.Sockets}"),
        new("queued", Align.Right, 0, static row => $"{row.Queued}"),
        new("mode", Align.Left, 0, static row => row.Mode),
        new("receive ns", Align.Right, 0, static row => $"{row.ReceiveNanosecondsPerDatagram:0.0}"),
        new("spread %", Align.Right, 1, static row => BenchText.Spread(row.SpreadPercent, row.Samples)));

    public static void Write(SocketsReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"{BenchText.CpuOf(report)}; medians of up to {BenchText.Rounds(report.Rounds)}; "
            + $"{report.Seconds:0} s in all");
        writer.Line();
        writer.Table(Table, report.Rows);
    }
}
