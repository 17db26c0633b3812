using Spate.Measurement;
using Spate.Measurement.Bench.Relay;

namespace Spate.Cli.Output;

/// <summary>Turns what relays cost into the report that is written as JSON.</summary>
internal static class RelayReports
{
    public static RelayReport Of(RelayResult result)
    {
        var report = new RelayReport
        {
            SizeBytes = result.SizeBytes,
            AskedDatagramsPerSecond = result.AskedDatagramsPerSecond,
            Rounds = result.Rows.Max(static row => row.RoundCount),
            Seconds = result.TotalSeconds,
            Rows = [.. result.Rows.Select(static row => new RelayRow
            {
                Name = row.Name,
                Trains = row.Trains,
                DatagramsPerSecond = row.DatagramsPerSecond,
                SentPerSecond = row.SentPerSecond,
                LostPercent = row.LostPercent,
                Reordered = row.Reordered,
                CpuPercentOfOneCore = row.CpuPercentOfOneCore,
                SpreadPercent = row.SpreadPercent,
                TimesLessThanSocketAsync = row.TimesLessThanSocketAsync,
            })],
            Threads =
            [
                BenchReports.ThreadOf("generate", result.Placement.SenderCpu),
                BenchReports.ThreadOf("sink", result.Placement.SenderCpu),
                BenchReports.ThreadOf("relay", result.Placement.ReceiverCpu),
            ],
            Flows = 1,
        };
        BenchReports.AddMemory(report);
        return report;
    }
}
