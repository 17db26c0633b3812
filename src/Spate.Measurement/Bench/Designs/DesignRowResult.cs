namespace Spate.Measurement.Bench.Designs;

/// <summary>One row of the comparison: medians over its rounds. Null is what the system does not tell.</summary>
public sealed record DesignRowResult
{
    /// <summary>The row's name, see <see cref="DesignRun.RowNames"/>.</summary>
    public required string Name { get; init; }

    /// <summary>Rounds of work per datagram.</summary>
    public required int WorkRounds { get; init; }

    /// <summary>Threads that run handlers.</summary>
    public required int ThreadCount { get; init; }

    /// <summary>Datagrams handled per second, from the first one sent to the last one handled.</summary>
    public required double DatagramsPerSecond { get; init; }

    /// <summary>Datagrams handled, in per cent of those sent: of all rounds, so that no loss hides.</summary>
    public required double ProcessedPercent { get; init; }

    /// <summary>CPU time of the server's threads per datagram handled, in nanoseconds.</summary>
    public required double? NanosecondsPerDatagram { get; init; }

    /// <summary>Dearest round less cheapest, in per cent of the median.</summary>
    public required double SpreadPercent { get; init; }

    /// <summary>CPU time of the generator's thread per datagram sent, in nanoseconds.</summary>
    public required double? GeneratorNanosecondsPerDatagram { get; init; }

    /// <summary>Bytes that the whole process allocated, per datagram handled.</summary>
    public required double AllocatedBytesPerDatagram { get; init; }

    /// <summary>Interrupts of the whole system per second.</summary>
    public required double? InterruptsPerSecond { get; init; }

    /// <summary>Memory of the process that cannot be paged out, in bytes.</summary>
    public required long? LockedBytes { get; init; }

    /// <summary>The threads in the median round; the one that receives for others first.</summary>
    public required IReadOnlyList<DesignThread> Threads { get; init; }

    /// <summary>How long the median round took.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>Datagrams that the system accepted from the generator, all rounds together.</summary>
    public required long Sent { get; init; }

    /// <summary>Datagrams that handlers counted, all rounds together.</summary>
    public required long Handled { get; init; }

    /// <summary>
    /// Dropped by the kernel at the server's sockets, all rounds together. With coalescing it counts buffers of many.
    /// </summary>
    public required long? KernelDrops { get; init; }

    /// <summary>Dropped by the kernel on the way to the sockets, whole system, all rounds together.</summary>
    public required long? BacklogDrops { get; init; }

    /// <summary>Datagrams that the system refused to send, all rounds together.</summary>
    public required long Refused { get; init; }

    /// <summary>Receive buffer that the system granted, of one socket, in bytes.</summary>
    public required long BufferGrantedBytes { get; init; }

    /// <summary>The backend of the server's sockets.</summary>
    public required UdpBackend Backend { get; init; }

    /// <summary>Trains that the route refused, all rounds together.</summary>
    public required long Demotions { get; init; }

    /// <summary>Measured rounds behind the medians.</summary>
    public required int RoundCount { get; init; }

    internal static DesignRowResult Of(
        DesignTarget target, int threadCount, int workRounds, IReadOnlyList<DesignMeasurement> rounds)
    {
        DesignMeasurement middle = MiddleOf(rounds);
        double[] costs = [.. rounds.Select(CostOf)];
        return new DesignRowResult
        {
            Name = target.Name,
            WorkRounds = workRounds,
            ThreadCount = threadCount,
            DatagramsPerSecond = Statistics.Median([.. rounds.Select(static round => round.DatagramsPerSecond)]),
            ProcessedPercent = 100 * Statistics.Ratio(
                rounds.Sum(static round => round.Handled), rounds.Sum(static round => round.Sent)),
            NanosecondsPerDatagram = BenchMath.Median(rounds.Select(static round => round.NanosecondsPerDatagram)),
            SpreadPercent = Statistics.SpreadPercent(costs),
            GeneratorNanosecondsPerDatagram =
                BenchMath.Median(rounds.Select(static round => round.GeneratorNanosecondsPerDatagram)),
            AllocatedBytesPerDatagram =
                Statistics.Median([.. rounds.Select(static round => round.AllocatedBytesPerDatagram)]),
            InterruptsPerSecond = BenchMath.Median(rounds.Select(static round => round.InterruptsPerSecond)),
            LockedBytes = middle.LockedBytes,
            Threads = middle.Threads,
            Elapsed = middle.Elapsed,
            Sent = rounds.Sum(static round => round.Sent),
            Handled = rounds.Sum(static round => round.Handled),
            KernelDrops = rounds.Aggregate((long?)0, static (sum, round) => sum + round.KernelDrops),
            BacklogDrops = rounds.Aggregate((long?)0, static (sum, round) => sum + round.BacklogDrops),
            Refused = rounds.Sum(static round => round.Refused),
            BufferGrantedBytes = middle.BufferGrantedBytes,
            Backend = middle.Backend,
            Demotions = rounds.Sum(static round => round.Demotions),
            RoundCount = rounds.Count,
        };
    }

    /// <summary>The round whose cost lies in the middle: threads and switches are those of one real round.</summary>
    private static DesignMeasurement MiddleOf(IReadOnlyList<DesignMeasurement> rounds) =>
        rounds.OrderBy(CostOf).ElementAt((rounds.Count - 1) / 2);

    // Where the system does not tell the CPU time of threads, the time that passed takes its place.
    private static double CostOf(DesignMeasurement round) =>
        round.NanosecondsPerDatagram ?? Statistics.Ratio(1e9, round.DatagramsPerSecond);
}
