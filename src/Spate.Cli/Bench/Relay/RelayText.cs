using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.Relay;

/// <summary>The tables of <c>spate bench relay</c>, one for each kind of generator.</summary>
internal static class RelayText
{
    // With less than this share of the rate asked for, the figures do not describe that rate.
    private const double MinRateShare = 0.97;

    private static readonly Table<RelayRow> Table = new(
        new("relay", Align.Left, 0, static row => row.Name),
        new("datagrams/s", Align.Right, 2, static row => Units.PerSecond(row.DatagramsPerSecond)),
        new("lost %", Align.Right, 1, static row => $"{row.LostPercent:0.000}"),
        new("reordered", Align.Right, 4, static row => Units.Count(row.Reordered)),
        new("CPU %", Align.Right, 0, static row => Units.Number(row.CpuPercentOfOneCore, "0.0")),
        new("spread %", Align.Right, 5, static row => BenchText.Spread(row.SpreadPercent, row.Samples)),
        new($"times less than {RelayRun.BaselineRowName}", Align.Right, 3, static row =>
            Units.Number(row.TimesLessThanSocketAsync, "0.0")));

    public static void Write(RelayReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"generator and sink for sender, relay for receiver: {report.Placement}; "
            + "relays on pool threads float");
        writer.Line($"{report.SizeBytes} bytes, {Units.PerSecond(report.AskedDatagramsPerSecond)}/s in "
            + $"bursts of {report.BurstDatagrams}; medians of {BenchText.Rounds(report.Rounds)} of "
            + $"{report.RoundSeconds:0.00} s; {report.Seconds:0} s in all");
        foreach (IGrouping<bool, RelayRow> rows in report.Rows.GroupBy(static row => row.UsesGso))
        {
            writer.Line();
            writer.Line(rows.Key ? "generator sends GSO messages" : "generator sends one by one");
            writer.Table(Table, rows);
        }

        // A round sends whole bursts. At a low rate the next burst may be due after the round has ended.
        double burstPerSecond = report.BurstDatagrams / report.RoundSeconds;
        foreach (RelayRow row in report.Rows)
        {
            if (row.SentPerSecond + burstPerSecond < MinRateShare * report.AskedDatagramsPerSecond)
            {
                writer.Line($"{row.Name}: only {Units.PerSecond(row.SentPerSecond)}/s were sent; the machine was busy");
            }
        }
    }
}
