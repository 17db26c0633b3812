using Spate.Measurement;
using Spate.Measurement.Bench.PingPong;
using Spate.Measurement.Serving;

namespace Spate.Cli.Output;

/// <summary>Turns round trips into the report that is written as JSON.</summary>
internal static class LatencyReports
{
    public static PingPongReport Of(PingPongResult result)
    {
        var report = new PingPongReport
        {
            SizeBytes = result.SizeBytes,
            Rounds = result.Rows.Max(static row => row.RoundCount),
            Seconds = result.TotalSeconds,
            Rows = [.. result.Rows.Select(static row => new PingPongRow
            {
                Mode = row.Mode,
                P50Microseconds = row.P50Microseconds,
                P99Microseconds = row.P99Microseconds,
                P999Microseconds = row.P999Microseconds,
                SpreadPercent = row.SpreadPercent,
                CpuPercent = row.CpuPercent,
                ServerCpuPercent = row.ServerCpuPercent,
                Pings = row.Pings,
                Lost = row.Lost,
            })],
            Idle = [.. result.Idle.Select(static row => new IdleRow
            {
                Design = NameText.Of(row.Design),
                ThreadCount = row.ThreadCount,
                CpuPercent = row.CpuPercent,
            })],
            Threads =
            [
                BenchReports.ThreadOf("client", result.Placement.SenderCpu),
                BenchReports.ThreadOf("server", result.Placement.ReceiverCpu),
            ],
            Flows = 1,
        };
        BenchReports.AddMemory(report);
        return report;
    }
}
