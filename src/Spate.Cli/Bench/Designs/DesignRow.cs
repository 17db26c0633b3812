using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Bench.Designs;

/// <summary>One design with one amount of work per datagram: medians over the rounds.</summary>
internal sealed record DesignRow
{
    /// <summary>For instance <c>one-by-one</c>; <c>sharded-gro</c> is <c>sharded</c> with coalescing.</summary>
    public required string Design { get; set; }

    /// <summary>Rounds of work per datagram, see <see cref="WorkLoad"/>.</summary>
    public required int WorkRounds { get; set; }

    public required int ThreadCount { get; set; }

    /// <summary>Datagrams handled per second, from the first one sent to the last one handled.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>Datagrams handled in all rounds together, in percent of those sent.</summary>
    public required double ProcessedPercent { get; set; }

    /// <summary>CPU time of the server's threads per datagram handled; null where the system does not tell.</summary>
    public required double? NanosecondsPerDatagram { get; set; }

    /// <summary>Bytes that the whole process allocated, per datagram handled.</summary>
    public required double AllocatedBytesPerDatagram { get; set; }

    /// <summary>Interrupts of the whole system per second; null where the system does not tell.</summary>
    public required double? InterruptsPerSecond { get; set; }

    /// <summary>Bytes of the process's memory that cannot be paged out; null where the system does not tell.</summary>
    public required long? LockedBytes { get; set; }

    /// <summary>Bytes of the kernel's non-paged pool charged to the process; null except on Windows.</summary>
    public long? NonPagedPoolBytes { get; set; }

    /// <summary>The server's threads in the median round. A thread that receives for others comes first.</summary>
    public required DesignThreadRow[] Threads { get; set; }

    /// <summary>The spread of CPU times, or of elapsed times where the system does not tell the CPU time.</summary>
    public required double SpreadPercent { get; set; }

    /// <summary>CPU nanoseconds per datagram of each round; empty where the system does not tell.</summary>
    public double[] Samples { get; set; } = [];

    /// <summary>CPU time per datagram sent. Not part of the JSON.</summary>
    [JsonIgnore]
    public double? GeneratorNanosecondsPerDatagram { get; set; }

    /// <summary>The time of the median round. Not part of the JSON.</summary>
    [JsonIgnore]
    public TimeSpan Elapsed { get; set; }

    internal IEnumerable<ComparedFigure> Figures
    {
        get
        {
            string name = $"{Design}, {RowText.Count(WorkRounds, "round")} of work, "
                + RowText.Count(ThreadCount, "thread");
            return
            [
                ComparedFigure.Cost(name, "nanosecondsPerDatagram", NanosecondsPerDatagram, Samples),
                ComparedFigure.Gain(name, ComparedFigure.Rate, DatagramsPerSecond),
                ComparedFigure.Gain(name, ComparedFigure.Processed, ProcessedPercent),
            ];
        }
    }

    public override string ToString() => RecordText.Of(
        nameof(DesignRow), PrintMembers, (nameof(Threads), Threads), (nameof(Samples), Samples));

    /// <summary>The medians of a row's rounds, of which there is at least one.</summary>
    internal static DesignRow Of(
        DesignTarget target, int threadCount, int workRounds, IReadOnlyList<DesignMeasurement> rounds)
    {
        DesignMeasurement middle = MiddleOf(rounds);
        return new DesignRow
        {
            Design = target.Name,
            WorkRounds = workRounds,
            ThreadCount = threadCount,
            DatagramsPerSecond = Statistics.Median([.. rounds.Select(static round => round.DatagramsPerSecond)]),
            ProcessedPercent = 100 * Statistics.Ratio(
                rounds.Sum(static round => round.Handled), rounds.Sum(static round => round.Sent)),
            NanosecondsPerDatagram =
                Statistics.MedianOfKnown(rounds.Select(static round => round.NanosecondsPerDatagram)),
            AllocatedBytesPerDatagram =
                Statistics.Median([.. rounds.Select(static round => round.AllocatedBytesPerDatagram)]),
            InterruptsPerSecond = Statistics.MedianOfKnown(rounds.Select(static round => round.InterruptsPerSecond)),
            LockedBytes = middle.LockedBytes,
            NonPagedPoolBytes = middle.NonPagedPoolBytes,
            Threads = [.. middle.Threads],
            SpreadPercent = Statistics.SpreadPercent([.. rounds.Select(CostOf)]),
            Samples = [.. rounds.Select(static round => round.NanosecondsPerDatagram).OfType<double>()],
            GeneratorNanosecondsPerDatagram =
                Statistics.MedianOfKnown(rounds.Select(static round => round.GeneratorNanosecondsPerDatagram)),
            Elapsed = middle.Elapsed,
        };
    }

    /// <summary>The round whose cost is the median. The figures of threads all come from this one round.</summary>
    private static DesignMeasurement MiddleOf(IReadOnlyList<DesignMeasurement> rounds) =>
        rounds.OrderBy(CostOf).ElementAt((rounds.Count - 1) / 2);

    // Where the system does not tell the CPU time of threads, the elapsed time takes its place.
    private static double CostOf(DesignMeasurement round) =>
        round.NanosecondsPerDatagram ?? Statistics.Ratio(1e9, round.DatagramsPerSecond);
}
