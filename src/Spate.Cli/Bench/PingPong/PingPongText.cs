using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.PingPong;

/// <summary>The tables of <c>spate bench pingpong</c>.</summary>
internal static class PingPongText
{
    private static readonly Table<PingPongRow> Table = new(
        new("mode", Align.Left, 0, static row => row.Mode),
        new("p50 µs", Align.Right, 0, static row => $"{row.P50Microseconds:0.0}"),
        new("p99 µs", Align.Right, 1, static row => $"{row.P99Microseconds:0.0}"),
        new("p99.9 µs", Align.Right, 2, static row => $"{row.P999Microseconds:0.0}"),
        new("spread %", Align.Right, 6, static row => BenchText.Spread(row.SpreadPercent, row.Samples)),
        new("CPU %", Align.Right, 4, static row => $"{row.CpuPercent:0}"),
        new("server %", Align.Right, 5, static row => Units.Number(row.ServerCpuPercent, "0")),
        new("lost", Align.Right, 3, static row => Units.Count(row.Lost)));

    private static readonly Table<IdleRow> IdleTable = new(
        new("design", Align.Left, 0, static row => row.Design),
        new("threads", Align.Right, 0, static row => $"{row.ThreadCount}"),
        new("CPU %", Align.Right, 0, static row => $"{row.CpuPercent:0.00}"));

    public static void Write(PingPongReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"client for sender, server for receiver: {report.Placement}");
        writer.Line($"{report.SizeBytes} bytes; medians of {BenchText.Rounds(report.Rounds)} of up to "
            + $"{Units.Count(report.PingsAsked)} pings; {report.Seconds:0} s in all");
        writer.Line();
        writer.Table(Table, report.Rows);
        if (report.Idle.Length > 0)
        {
            writer.Line();
            writer.Line($"idle servers, {report.IdleSeconds:0.##} s each, in per cent of one CPU");
            writer.Table(IdleTable, report.Idle);
        }
    }
}
