namespace Spate.Measurement.Bench.PingPong;

/// <summary>Round trips of one mode: medians over the rounds of each round's own figure.</summary>
public sealed record PingPongRowResult
{
    /// <summary>How both ends wait.</summary>
    public required string Mode { get; init; }

    /// <summary>Half of the round trips took at most this long, in microseconds.</summary>
    public required double P50Microseconds { get; init; }

    /// <summary>99 of 100 took at most this long.</summary>
    public required double P99Microseconds { get; init; }

    /// <summary>999 of 1000 took at most this long.</summary>
    public required double P999Microseconds { get; init; }

    /// <summary>Slowest round's median less the fastest's, in per cent of the median.</summary>
    public required double SpreadPercent { get; init; }

    /// <summary>CPU time of both ends together, in per cent of one CPU: 200 are two busy CPUs.</summary>
    public required double CpuPercent { get; init; }

    /// <summary>The server's part of it; null where both ends share pool threads.</summary>
    public required double? ServerCpuPercent { get; init; }

    /// <summary>Round trips counted in all rounds.</summary>
    public required long Pings { get; init; }

    /// <summary>Pings without an answer in all rounds.</summary>
    public required long Lost { get; init; }

    /// <summary>Rounds behind the medians.</summary>
    public required int RoundCount { get; init; }

    internal static PingPongRowResult FromRounds(string mode, IReadOnlyList<PingRoundMeasurement> rounds) => new()
    {
        Mode = mode,
        P50Microseconds = Statistics.Median([.. rounds.Select(static round => round.P50Microseconds)]),
        P99Microseconds = Statistics.Median([.. rounds.Select(static round => round.P99Microseconds)]),
        P999Microseconds = Statistics.Median([.. rounds.Select(static round => round.P999Microseconds)]),
        SpreadPercent = Statistics.SpreadPercent([.. rounds.Select(static round => round.P50Microseconds)]),
        CpuPercent = Statistics.Median([.. rounds.Select(static round => round.CpuPercent)]),
        ServerCpuPercent = BenchMath.Median(rounds.Select(static round => round.ServerCpuPercent)),
        Pings = rounds.Sum(static round => round.Pings),
        Lost = rounds.Sum(static round => round.Lost),
        RoundCount = rounds.Count,
    };
}

/// <summary>What one mode did in one round.</summary>
internal sealed record PingRoundMeasurement(
    double P50Microseconds,
    double P99Microseconds,
    double P999Microseconds,
    double CpuPercent,
    double? ServerCpuPercent,
    long Pings,
    long Lost);
