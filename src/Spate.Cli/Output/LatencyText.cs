using Spate.Measurement;
using Spate.Measurement.Bench.PingPong;
using Spate.Measurement.Serving;

namespace Spate.Cli.Output;

/// <summary>The tables of <c>spate bench pingpong</c>.</summary>
internal static class LatencyText
{
    public static void Write(PingPongResult result, PingPongReport report, Streams streams)
    {
        BenchText.WriteHead(report, streams);
        streams.Output.WriteLine(SafeText.Clean($"client for sender, server for receiver: {result.Placement.Note}"));
        streams.Output.WriteLine($"{result.SizeBytes} bytes; medians of {BenchText.Rounds(report.Rounds)} of up to "
            + $"{Units.Count(result.PingCount)} pings; {result.TotalSeconds:0} s in all");
        streams.Output.WriteLine();
        var table = new Table(
            new("mode"), new("p50 µs", true), new("p99 µs", true), new("p99.9 µs", true), new("spread %", true),
            new("CPU %", true), new("server %", true), new("lost", true));
        foreach (PingPongRowResult row in result.Rows)
        {
            table.Add(
                row.Mode,
                $"{row.P50Microseconds:0.0}",
                $"{row.P99Microseconds:0.0}",
                $"{row.P999Microseconds:0.0}",
                BenchText.Spread(row.SpreadPercent, row.RoundCount),
                $"{row.CpuPercent:0}",
                BenchText.Text(row.ServerCpuPercent, "0"),
                Units.Count(row.Lost));
        }

        TableOutput.Write(table, streams);
        WriteIdle(result, streams);
    }

    private static void WriteIdle(PingPongResult result, Streams streams)
    {
        if (result.Idle.Count == 0)
        {
            return;
        }

        streams.Output.WriteLine();
        streams.Output.WriteLine($"idle servers, {result.IdleSeconds:0.##} s each, in per cent of one CPU");
        var table = new Table(new("design"), new("threads", true), new("CPU %", true));
        foreach (IdleServerResult row in result.Idle)
        {
            table.Add(NameText.Of(row.Design), $"{row.ThreadCount}", $"{row.CpuPercent:0.00}");
        }

        TableOutput.Write(table, streams);
    }
}
