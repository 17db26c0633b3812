using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Bench.PingPong;

/// <summary>Round trips of one way of waiting. Each figure is the median of the rounds' figures.</summary>
internal sealed record PingPongRow
{
    /// <summary>How both ends wait, for instance <c>spinning</c>.</summary>
    public required string Mode { get; set; }

    public required double P50Microseconds { get; set; }

    public required double P99Microseconds { get; set; }

    public required double P999Microseconds { get; set; }

    public double SpreadPercent { get; set; }

    /// <summary>CPU time of both ends together, in percent of one CPU: 200 are two busy CPUs.</summary>
    public double CpuPercent { get; set; }

    /// <summary>The server's part of the CPU time; null where both ends share pool threads.</summary>
    public double? ServerCpuPercent { get; set; }

    /// <summary>Round trips counted in all rounds.</summary>
    public long Pings { get; set; }

    /// <summary>Pings without an answer in all rounds.</summary>
    public long Lost { get; set; }

    /// <summary>The p50 of each round, in microseconds.</summary>
    public double[] Samples { get; set; } = [];

    internal IEnumerable<ComparedFigure> Figures
    {
        get
        {
            bool isSpinning = PingTargets.All.Any(one => one.Spins && one.Mode.Equals(Mode, StringComparison.Ordinal));
            return
            [
                ComparedFigure.Cost(Mode, "p50Microseconds", P50Microseconds, Samples),
                ComparedFigure.Cost(Mode, "p99Microseconds", P99Microseconds),
                ComparedFigure.Cost(Mode, "cpuPercent", isSpinning ? null : CpuPercent) with
                {
                    NoMeasure = isSpinning ? EndCpu.Spinning : null,
                },
            ];
        }
    }

    public override string ToString() => RecordText.Of(nameof(PingPongRow), PrintMembers, (nameof(Samples), Samples));

    /// <summary>The medians of a row's rounds, of which there is at least one.</summary>
    internal static PingPongRow Of(string mode, IReadOnlyList<PingRoundMeasurement> rounds)
    {
        double[] middles = [.. rounds.Select(static round => round.P50Microseconds)];
        return new PingPongRow
        {
            Mode = mode,
            P50Microseconds = Statistics.Median(middles),
            P99Microseconds = Statistics.Median([.. rounds.Select(static round => round.P99Microseconds)]),
            P999Microseconds = Statistics.Median([.. rounds.Select(static round => round.P999Microseconds)]),
            SpreadPercent = Statistics.SpreadPercent(middles),
            CpuPercent = Statistics.Median([.. rounds.Select(static round => round.CpuPercent)]),
            ServerCpuPercent = Statistics.MedianOfKnown(rounds.Select(static round => round.ServerCpuPercent)),
            Pings = rounds.Sum(static round => round.Pings),
            Lost = rounds.Sum(static round => round.Lost),
            Samples = middles,
        };
    }
}

/// <summary>The figures of one mode in one round.</summary>
internal sealed record PingRoundMeasurement(
    double P50Microseconds,
    double P99Microseconds,
    double P999Microseconds,
    double CpuPercent,
    double? ServerCpuPercent,
    long Pings,
    long Lost);
