using Spate.Measurement.Bench.PingPong;

namespace Spate.Cli.Output;

/// <summary>The tables of <c>spate bench pingpong</c>.</summary>
internal static class LatencyText
{
    public static void Write(PingPongReport report, Streams streams)
    {
        BenchText.WriteHead(report, streams);
        streams.Output.WriteLine(SafeText.Clean($"client for sender, server for receiver: {report.Placement}"));
        streams.Output.WriteLine($"{report.SizeBytes} bytes; medians of {BenchText.Rounds(report.Rounds)} of up to "
            + $"{Units.Count(report.PingsAsked)} pings; {report.Seconds:0} s in all");
        streams.Output.WriteLine();
        var table = new Table(
            new("mode"), new("p50 µs", true), new("p99 µs", true), new("p99.9 µs", true), new("spread %", true),
            new("CPU %", true), new("server %", true), new("lost", true));
        foreach (PingPongRow row in report.Rows)
        {
            table.Add(
                row.Mode,
                $"{row.P50Microseconds:0.0}",
                $"{row.P99Microseconds:0.0}",
                $"{row.P999Microseconds:0.0}",
                BenchText.Spread(row.SpreadPercent, row.Samples),
                $"{row.CpuPercent:0}",
                BenchText.Text(row.ServerCpuPercent, "0"),
                Units.Count(row.Lost));
        }

        TableOutput.Write(table, streams);
        WriteIdle(report, streams);
    }

    private static void WriteIdle(PingPongReport report, Streams streams)
    {
        if (report.Idle.Length == 0)
        {
            return;
        }

        streams.Output.WriteLine();
        streams.Output.WriteLine($"idle servers, {report.IdleSeconds:0.##} s each, in per cent of one CPU");
        var table = new Table(new("design"), new("threads", true), new("CPU %", true));
        foreach (IdleRow row in report.Idle)
        {
            table.Add(row.Design, $"{row.ThreadCount}", $"{row.CpuPercent:0.00}");
        }

        TableOutput.Write(table, streams);
    }
}
