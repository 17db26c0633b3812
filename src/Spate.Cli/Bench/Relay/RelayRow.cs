using System.Text.Json.Serialization;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Relay;

/// <summary>One relay with one kind of generator: medians over the rounds.</summary>
internal sealed record RelayRow
{
    /// <summary>The relay, for instance <c>spate-mmsg</c>.</summary>
    public required string Name { get; set; }

    /// <summary>Whether the generator sent GSO messages.</summary>
    [JsonPropertyName("trains")]
    public required bool UsesGso { get; set; }

    /// <summary>Datagrams that arrived at the sink, per second.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>
    /// Datagrams that the generator sent per second. Less than was requested if the generator was late.
    /// </summary>
    public double SentPerSecond { get; set; }

    /// <summary>Datagrams that never arrived at the sink, in percent of all rounds together.</summary>
    public required double LostPercent { get; set; }

    /// <summary>Datagrams that arrived after a later one, in all rounds together.</summary>
    public long Reordered { get; set; }

    /// <summary>
    /// CPU time of the relay's threads, in percent of one CPU. If pool threads relay, it is that of the process less
    /// that of generator and sink. Null where the system does not tell.
    /// </summary>
    public required double? CpuPercentOfOneCore { get; set; }

    /// <summary>
    /// How far <see cref="Samples"/> lie apart, see <see cref="Statistics.SpreadPercent"/>; null if there are none.
    /// </summary>
    public double? SpreadPercent { get; set; }

    /// <summary>
    /// The CPU time of <c>socket-async</c> with the same generator, divided by that of this row: the median of the
    /// rounds' quotients. Null where either is not known.
    /// </summary>
    public double? TimesLessThanSocketAsync { get; set; }

    /// <summary>
    /// The CPU time of each round in percent of one CPU, in the order of the rounds; empty where the system does not
    /// tell.
    /// </summary>
    public double[] Samples { get; set; } = [];

    /// <summary>What can be better or worse.</summary>
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

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(RelayRow), PrintMembers, (nameof(Samples), Samples));

    /// <summary>The medians of a row's rounds.</summary>
    /// <param name="name">The relay.</param>
    /// <param name="usesGso">Whether the generator sent GSO messages.</param>
    /// <param name="rounds">The row's rounds; at least one.</param>
    /// <param name="baseline">
    /// The rounds of <c>socket-async</c> with the same generator; empty where it did not run.
    /// </param>
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
