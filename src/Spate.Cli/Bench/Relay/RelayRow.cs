using System.Text.Json.Serialization;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Relay;

/// <summary>One relay with one kind of generator: medians over the rounds.</summary>
internal sealed record RelayRow
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

    /// <summary>The CPU percent of each round; empty where the system does not tell.</summary>
    public double[] Samples { get; set; } = [];

    internal IEnumerable<ComparedFigure> Figures
    {
        get
        {
            string name = UsesGso ? $"{Name}, GSO messages" : Name;
            return
            [
                ComparedFigure.Cost(name, "cpuPercentOfOneCore", CpuPercentOfOneCore, Samples),
                ComparedFigure.Gain(name, ComparedFigure.Rate, DatagramsPerSecond),
                ComparedFigure.Cost(name, ComparedFigure.Lost, LostPercent),
            ];
        }
    }

    public override string ToString() => RecordText.Of(nameof(RelayRow), PrintMembers, (nameof(Samples), Samples));

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
            DatagramsPerSecond = Statistics.Median([.. rounds.Select(static round => round.ReceivedPerSecond)]),
            SentPerSecond = Statistics.Median([.. rounds.Select(static round => round.SentPerSecond)]),
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
