using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Relay;

/// <summary>
/// The report of <c>spate bench relay</c>: the cost of relaying datagrams at a fixed rate. First come all rows with a
/// generator that sends GSO messages, then all without.
/// </summary>
internal sealed record RelayReport : RoundsReport<RelayRow>
{
    public const string KindName = "relay";

    // With less than this share of the rate asked for, the figures do not describe that rate.
    private const double MinRateShare = 0.97;

    public RelayReport()
        : base(KindName, RelayRow.Metrics)
    {
    }

    public int SizeBytes { get; set; }

    public double AskedDatagramsPerSecond { get; set; }

    public override double Seconds { get; set; }

    /// <summary>Those that leave the generator at once. Not part of the JSON.</summary>
    [JsonIgnore]
    public int BurstDatagrams { get; set; }

    internal override IEnumerable<ReportSetting> LoadSettings =>
    [
        ReportSetting.Of("sizeBytes", SizeBytes) with { MustBeAlike = true },
        ReportSetting.Of("rateAsked", AskedDatagramsPerSecond),
    ];

    /// <summary>Writes a table for each kind of generator.</summary>
    public static void Write(RelayReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"generator and sink as sender, relay as receiver: {report.Placement}; "
            + "relays on pool threads are not pinned");
        writer.Line($"{report.SizeBytes} bytes, {Units.PerSecond(report.AskedDatagramsPerSecond)}/s in "
            + $"bursts of {report.BurstDatagrams}; medians of {BenchText.Rounds(report.Rounds)} of "
            + $"{report.RoundSeconds:0.00} s; {report.Seconds:0} s in total");
        foreach (IGrouping<bool, RelayRow> rows in report.Rows.GroupBy(static row => row.UsesGso))
        {
            writer.Line();
            writer.Line(rows.Key ? "generator sends GSO messages" : "generator sends single datagrams");
            writer.Table(RelayRow.Metrics.Table, rows);
        }

        // A round sends whole bursts. At a low rate the next burst may be due after the round has ended.
        double burstPerSecond = report.BurstDatagrams / report.RoundSeconds;
        foreach (RelayRow row in report.Rows)
        {
            if (row.SentPerSecond + burstPerSecond < MinRateShare * report.AskedDatagramsPerSecond)
            {
                writer.Line($"{row.Name}: sent only {Units.PerSecond(row.SentPerSecond)}/s: the machine was busy");
            }
        }
    }
}

/// <summary>One relay with one kind of generator: medians over the rounds.</summary>
internal sealed record RelayRow : RoundsRow
{
    /// <summary>For instance <c>spate-mmsg</c>.</summary>
    public required string Name { get; set; }

    [JsonPropertyName("trains")]
    public required bool UsesGso { get; set; }

    /// <summary>Those that arrived at the sink.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>Less than was requested if the generator was late.</summary>
    public double SentPerSecond { get; set; }

    /// <summary>Of all rounds together.</summary>
    public required double LostPercent { get; set; }

    /// <summary>Datagrams that arrived after a later one, in all rounds together.</summary>
    public long Reordered { get; set; }

    /// <summary>Where pool threads relay, the process's less generator and sink's. Null where not known.</summary>
    public required double? CpuPercentOfOneCore { get; set; }

    /// <summary>Null if there are no samples.</summary>
    public double? SpreadPercent { get; set; }

    /// <summary>The median of the rounds' quotients, with the same generator; null where one is not known.</summary>
    public double? TimesLessThanSocketAsync { get; set; }

    internal static Metrics<RelayRow> Metrics { get; } =
        new Metrics<RelayRow>(static row => row.UsesGso ? $"{row.Name}, GSO messages" : row.Name)
            .Text("relay", static row => row.Name)
            .Gain("datagrams/s", MetricFormat.PerSecond, 2, static row => row.DatagramsPerSecond)
            .Cost("lost %", "0.000", 1, static row => row.LostPercent)
            .Plain("reordered", MetricFormat.Count, 4, static row => row.Reordered)
            .Cost("CPU %", "0.0", 0, static row => row.CpuPercentOfOneCore, isMain: true)
            .Spread(5, static row => row.SpreadPercent)
            .Plain(
                $"times less than {RelayTarget.BaselineName}", "0.0", 3, static row => row.TimesLessThanSocketAsync);

    /// <summary>The medians of at least one round; <paramref name="baseline"/> is empty where it did not run.</summary>
    internal static RelayRow Of(
        string name, bool usesGso, IReadOnlyList<RelayMeasurement> rounds, IReadOnlyList<RelayMeasurement> baseline)
    {
        double[] cpu = [.. rounds.Select(static round => round.CpuPercent).OfType<double>()];
        long sent = rounds.Sum(static round => round.Sent);
        return new RelayRow
        {
            Name = name,
            UsesGso = usesGso,
            DatagramsPerSecond = rounds.Median(static round => round.ReceivedPerSecond),
            SentPerSecond = rounds.Median(static round => round.SentPerSecond),
            LostPercent = 100 * Statistics.Ratio(sent - rounds.Sum(static round => round.Received), sent),
            Reordered = rounds.Sum(static round => round.Reordered),
            CpuPercentOfOneCore = cpu.Length == 0 ? null : Statistics.Median(cpu),
            SpreadPercent = cpu.Length == 0 ? null : Statistics.SpreadPercent(cpu),
            TimesLessThanSocketAsync = TimesLess(rounds, baseline),
            Samples = cpu,
        };
    }

    // Both rows of a round ran under similar conditions, so a quotient per round varies less than one of medians.
    private static double? TimesLess(IReadOnlyList<RelayMeasurement> rounds, IReadOnlyList<RelayMeasurement> than) =>
        Statistics.MedianOfKnown(rounds.Zip(than, static (mine, other) =>
            mine.CpuPercent > 0 ? other.CpuPercent / mine.CpuPercent : null));
}

/// <summary>The counts of one relay in one round.</summary>
internal sealed record RelayMeasurement(
    long Sent, long Received, long Reordered, double Seconds, double? CpuPercent)
{
    public double SentPerSecond => Statistics.Ratio(Sent, Seconds);

    public double ReceivedPerSecond => Statistics.Ratio(Received, Seconds);
}
