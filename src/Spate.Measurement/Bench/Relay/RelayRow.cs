using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Bench.Relay;

/// <summary>One relay with one kind of generator: medians over the rounds.</summary>
public sealed record RelayRow
{
    /// <summary>The relay, as <c>spate-mmsg</c>.</summary>
    public required string Name { get; set; }

    /// <summary>Whether the generator sent trains.</summary>
    public required bool Trains { get; set; }

    /// <summary>Datagrams that came out at the other end, per second.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>Datagrams that the generator sent, per second: what was asked for, unless it was late.</summary>
    public double SentPerSecond { get; set; }

    /// <summary>Datagrams that never came out, in percent, over all rounds.</summary>
    public required double LostPercent { get; set; }

    /// <summary>Datagrams that came out behind a later one, over all rounds.</summary>
    public long Reordered { get; set; }

    /// <summary>
    /// CPU time of the relay's threads, in percent of one CPU; where they are the pool's, that of the process less the
    /// generator's and the sink's. Null where the system does not tell.
    /// </summary>
    public required double? CpuPercentOfOneCore { get; set; }

    /// <summary>
    /// How far <see cref="Samples"/> lie apart, see <see cref="Statistics.SpreadPercent"/>; null where there are none.
    /// </summary>
    public double? SpreadPercent { get; set; }

    /// <summary>
    /// How many times its CPU time <c>socket-async</c> needs in the same round with the same generator: the median of
    /// the rounds' quotients. Null where either is not known.
    /// </summary>
    public double? TimesLessThanSocketAsync { get; set; }

    /// <summary>
    /// The CPU time of each round in percent of one CPU, in the order of the rounds; empty where the system does not
    /// tell.
    /// </summary>
    public double[] Samples { get; set; } = [];

    /// <summary>The medians of a row's rounds.</summary>
    /// <param name="name">The relay.</param>
    /// <param name="trains">Whether the generator sent trains.</param>
    /// <param name="rounds">At least one.</param>
    /// <param name="baseline">
    /// The rounds of <c>socket-async</c> with the same generator; empty where it did not run.
    /// </param>
    internal static RelayRow Of(
        string name, bool trains, IReadOnlyList<RelayMeasurement> rounds, IReadOnlyList<RelayMeasurement> baseline)
    {
        double[] cpu = [.. rounds.Select(static round => round.CpuPercent).OfType<double>()];
        long sent = rounds.Sum(static round => round.Sent);
        return new RelayRow
        {
            Name = name,
            Trains = trains,
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

    // Both halves of a round's quotient met the same state of the machine; those of a quotient of medians did not.
    private static double? TimesLess(IReadOnlyList<RelayMeasurement> rounds, IReadOnlyList<RelayMeasurement> than) =>
        Statistics.MedianOfKnown(rounds.Zip(than, static (mine, other) =>
            mine.CpuPercent > 0 ? other.CpuPercent / mine.CpuPercent : null));
}

/// <summary>What one relay did in one round.</summary>
internal sealed record RelayMeasurement(
    long Sent, long Received, long Reordered, double Seconds, double? CpuPercent)
{
    public double SentPerSecond => Statistics.Ratio(Sent, Seconds);

    public double ReceivedPerSecond => Statistics.Ratio(Received, Seconds);
}
