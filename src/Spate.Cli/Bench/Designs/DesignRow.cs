using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Bench.Designs;

/// <summary>
/// One design with one amount of work per datagram: medians over the rounds.
/// </summary>
internal sealed record DesignRow
{
    /// <summary>
    /// The design, for instance <c>one-by-one</c>; <c>sharded-gro</c> is <c>sharded</c> with coalesced datagrams.
    /// </summary>
    public required string Design { get; set; }

    /// <summary>Rounds of work per datagram, see <see cref="WorkLoad"/>.</summary>
    public required int WorkRounds { get; set; }

    /// <summary>Threads that run handlers.</summary>
    public required int ThreadCount { get; set; }

    /// <summary>Datagrams handled per second, from the first one sent to the last one handled.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>Datagrams handled in all rounds together, in percent of those sent.</summary>
    public required double ProcessedPercent { get; set; }

    /// <summary>
    /// CPU time of the server's threads in nanoseconds per datagram handled; null where the system does not tell.
    /// </summary>
    public required double? NanosecondsPerDatagram { get; set; }

    /// <summary>Bytes that the whole process allocated, per datagram handled.</summary>
    public required double AllocatedBytesPerDatagram { get; set; }

    /// <summary>Interrupts of the whole system per second; null where the system does not tell.</summary>
    public required double? InterruptsPerSecond { get; set; }

    /// <summary>
    /// Bytes of the process's memory that cannot be paged out; null where the system does not tell.
    /// </summary>
    public required long? LockedBytes { get; set; }

    /// <summary>
    /// Bytes of the kernel's non-paged pool that are charged to the process; null on other systems than Windows.
    /// </summary>
    public long? NonPagedPoolBytes { get; set; }

    /// <summary>
    /// The server's threads in the median round. A thread that receives for others comes first.
    /// </summary>
    public required DesignThreadRow[] Threads { get; set; }

    /// <summary>
    /// How far the CPU times of the rounds lie apart, see <see cref="Statistics.SpreadPercent"/>. Where the system does
    /// not tell the CPU time of threads, elapsed times are compared instead.
    /// </summary>
    public required double SpreadPercent { get; set; }

    /// <summary>
    /// The CPU nanoseconds per datagram of each round, in the order of the rounds; empty where the system does not
    /// tell.
    /// </summary>
    public double[] Samples { get; set; } = [];

    /// <summary>CPU time of the generator's thread per datagram sent, in nanoseconds. Not part of the JSON.</summary>
    [JsonIgnore]
    public double? GeneratorNanosecondsPerDatagram { get; set; }

    /// <summary>The elapsed time of the median round. Not part of the JSON.</summary>
    [JsonIgnore]
    public TimeSpan Elapsed { get; set; }

    /// <summary>What can be better or worse.</summary>
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

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(DesignRow), PrintMembers, (nameof(Threads), Threads), (nameof(Samples), Samples));

    /// <summary>The medians of a row's rounds.</summary>
    /// <param name="target">The row.</param>
    /// <param name="threadCount">Threads that run handlers.</param>
    /// <param name="workRounds">Rounds of work per datagram.</param>
    /// <param name="rounds">The row's rounds; at least one.</param>
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
