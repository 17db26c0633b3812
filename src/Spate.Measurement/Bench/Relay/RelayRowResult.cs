namespace Spate.Measurement.Bench.Relay;

/// <summary>One relay with one kind of generator: medians over the rounds.</summary>
public sealed record RelayRowResult
{
    /// <summary>The relay's name.</summary>
    public required string Name { get; init; }

    /// <summary>Whether the generator sent trains.</summary>
    public required bool Trains { get; init; }

    /// <summary>Datagrams that came out at the other end, per second.</summary>
    public required double DatagramsPerSecond { get; init; }

    /// <summary>Datagrams that the generator sent, per second: what was asked for, unless it was late.</summary>
    public required double SentPerSecond { get; init; }

    /// <summary>Datagrams that never came out, over all rounds.</summary>
    public required double LostPercent { get; init; }

    /// <summary>Datagrams that came out behind a later one, over all rounds.</summary>
    public required long Reordered { get; init; }

    /// <summary>
    /// CPU time of the relay's threads, in per cent of one CPU; where they are the pool's, that of the process less the
    /// generator's and the sink's. Null where the system does not tell.
    /// </summary>
    public required double? CpuPercentOfOneCore { get; init; }

    /// <summary>Most CPU time of a round less the least, in per cent of the median; null as above.</summary>
    public required double? SpreadPercent { get; init; }

    /// <summary>
    /// How many times its CPU time <c>socket-async</c> needs in the same round, the generator being the same; null
    /// where either is not known.
    /// </summary>
    public double? TimesLessThanSocketAsync { get; init; }

    /// <summary>Rounds behind the medians.</summary>
    public required int RoundCount { get; init; }

    internal static RelayRowResult FromRounds(string name, bool trains, IReadOnlyList<RelayMeasurement> rounds)
    {
        double[] cpu = [.. rounds.Select(static round => round.CpuPercent).OfType<double>()];
        long sent = rounds.Sum(static round => round.Sent);
        return new RelayRowResult
        {
            Name = name,
            Trains = trains,
            DatagramsPerSecond = Statistics.Median([.. rounds.Select(static round => round.ReceivedPerSecond)]),
            SentPerSecond = Statistics.Median([.. rounds.Select(static round => round.SentPerSecond)]),
            LostPercent = 100 * Statistics.Ratio(sent - rounds.Sum(static round => round.Received), sent),
            Reordered = rounds.Sum(static round => round.Reordered),
            CpuPercentOfOneCore = cpu.Length == 0 ? null : Statistics.Median(cpu),
            SpreadPercent = cpu.Length == 0 ? null : Statistics.SpreadPercent(cpu),
            RoundCount = rounds.Count,
        };
    }

    /// <summary>The median of the rounds' quotients: both halves of each met the same state of the machine.</summary>
    internal static double? TimesLess(IReadOnlyList<RelayMeasurement> rounds, IReadOnlyList<RelayMeasurement> than) =>
        BenchMath.Median(rounds.Zip(than, static (mine, other) =>
            mine.CpuPercent > 0 ? other.CpuPercent / mine.CpuPercent : null));
}

/// <summary>What one relay did in one round.</summary>
internal sealed record RelayMeasurement(
    long Sent, long Received, long Reordered, double Seconds, double? CpuPercent)
{
    public double SentPerSecond => Statistics.Ratio(Sent, Seconds);

    public double ReceivedPerSecond => Statistics.Ratio(Received, Seconds);
}
