using Spate.Measurement.Bench.Relay;

namespace Spate.Cli.Output;

/// <summary>The tables of <c>spate bench relay</c>, one for each kind of generator.</summary>
internal static class RelayText
{
    // Below this share of the rate asked for, figures are those of another rate.
    private const double RateShareLeast = 0.97;

    public static void Write(RelayReport report, Streams streams)
    {
        BenchText.WriteHead(report, streams);
        streams.Output.WriteLine(SafeText.Clean(
            $"generator and sink for sender, relay for receiver: {report.Placement}; "
            + "relays on pool threads float"));
        streams.Output.WriteLine($"{report.SizeBytes} bytes, {Units.PerSecond(report.AskedDatagramsPerSecond)}/s in "
            + $"bursts of {report.BurstDatagrams}; medians of {BenchText.Rounds(report.Rounds)} of "
            + $"{report.RoundSeconds:0.00} s; {report.Seconds:0} s in all");
        foreach (IGrouping<bool, RelayRow> rows in report.Rows.GroupBy(static row => row.Trains))
        {
            streams.Output.WriteLine();
            streams.Output.WriteLine(rows.Key ? "generator sends trains" : "generator sends one by one");
            Write(rows, streams);
        }

        // What a round has sent ends with a whole burst: at a low rate the next one may be due only after its end.
        double burstPerSecond = report.BurstDatagrams / report.RoundSeconds;
        foreach (RelayRow row in report.Rows)
        {
            if (row.SentPerSecond + burstPerSecond >= RateShareLeast * report.AskedDatagramsPerSecond) continue;
            streams.Output.WriteLine(
                $"{row.Name}: only {Units.PerSecond(row.SentPerSecond)}/s were sent; the machine was busy");
        }
    }

    private static void Write(IEnumerable<RelayRow> rows, Streams streams)
    {
        var table = new Table(
            new("relay"), new("datagrams/s", true), new("lost %", true), new("reordered", true), new("CPU %", true),
            new("spread %", true), new($"times less than {RelayRun.BaselineRowName}", true));
        foreach (RelayRow row in rows)
        {
            table.Add(
                row.Name,
                Units.PerSecond(row.DatagramsPerSecond),
                $"{row.LostPercent:0.000}",
                Units.Count(row.Reordered),
                BenchText.Text(row.CpuPercentOfOneCore, "0.0"),
                BenchText.Spread(row.SpreadPercent, row.Samples),
                BenchText.Text(row.TimesLessThanSocketAsync, "0.0"));
        }

        TableOutput.Write(table, streams);
    }
}
