using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Bench.Designs;

/// <summary>
/// The report of <c>spate bench designs</c>: every way to divide a server's work among threads.
/// There is a row per design, work and number of threads.
/// </summary>
internal sealed record DesignsReport : RoundsReport<DesignRow>
{
    public const string KindName = "designs";

    public DesignsReport()
        : base(KindName, DesignRow.Metrics)
    {
    }

    public override double Seconds { get; set; }

    public int SizeBytes { get; set; }

    public long DatagramsPerRound { get; set; }

    public double NanosecondsPerWorkRound { get; set; }

    public string[] Notes { get; set; } = [];

    internal override IEnumerable<ReportSetting> LoadSettings =>
        [ReportSetting.Of("sizeBytes", SizeBytes) with { MustBeAlike = true }];
}

/// <summary>One design with one amount of work per datagram: medians over the rounds.</summary>
internal sealed record DesignRow : RoundsRow
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

    /// <summary>CPU time per datagram sent. Not part of the JSON.</summary>
    [JsonIgnore]
    public double? GeneratorNanosecondsPerDatagram { get; set; }

    /// <summary>The time of the median round. Not part of the JSON.</summary>
    [JsonIgnore]
    public TimeSpan Elapsed { get; set; }

    internal static Metrics<DesignRow> Metrics { get; } = new Metrics<DesignRow>(static row =>
            $"{row.Design}, {RowText.Count(row.WorkRounds, "round")} of work, "
                + RowText.Count(row.ThreadCount, "thread"))
        .Text("design", static row => row.Design)
        .Gain("datagrams/s", MetricFormat.PerSecond, 0, static row => row.DatagramsPerSecond)
        .Gain("processed %", "0.0", 1, static row => row.ProcessedPercent)
        .Cost("CPU ns", "0", 0, static row => row.NanosecondsPerDatagram, isMain: true)
        .Spread(2, static row => row.SpreadPercent)
        .Plain("generator ns", "0", 6, static row => row.GeneratorNanosecondsPerDatagram)
        .Text("per call", static row => DesignText.PerCall(row.Threads), Align.Right, 3)
        .Text("switches/s", DesignText.Switches, Align.Right, 4)
        .Plain("interrupts/s", MetricFormat.Count, 7, static row => row.InterruptsPerSecond)
        .Plain("B/datagram", "0.000", 8, static row => row.AllocatedBytesPerDatagram)
        .Text("locked", static row => DesignText.Memory(row.LockedBytes), Align.Right, 9)
        .Text(
            "non-paged pool", static row => DesignText.Memory(row.NonPagedPoolBytes), Align.Right, 10,
            hidesIfEmpty: true)
        .Text("shares of threads %", static row => DesignText.Shares(row.Threads), Align.Wrapped, 5);

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
            DatagramsPerSecond = rounds.Median(static round => round.DatagramsPerSecond),
            ProcessedPercent = 100 * Statistics.Ratio(
                rounds.Sum(static round => round.Handled), rounds.Sum(static round => round.Sent)),
            NanosecondsPerDatagram = rounds.MedianOfKnown(static round => round.NanosecondsPerDatagram),
            AllocatedBytesPerDatagram =
                rounds.Median(static round => round.AllocatedBytesPerDatagram),
            InterruptsPerSecond = rounds.MedianOfKnown(static round => round.InterruptsPerSecond),
            LockedBytes = middle.LockedBytes,
            NonPagedPoolBytes = middle.NonPagedPoolBytes,
            Threads = [.. middle.Threads],
            SpreadPercent = Statistics.SpreadPercent([.. rounds.Select(CostOf)]),
            Samples = [.. rounds.Select(static round => round.NanosecondsPerDatagram).OfType<double>()],
            GeneratorNanosecondsPerDatagram =
                rounds.MedianOfKnown(static round => round.GeneratorNanosecondsPerDatagram),
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

/// <summary>One thread of a design in the median round.</summary>
internal sealed record DesignThreadRow
{
    /// <summary>If it receives for others, the datagrams that it passed to them.</summary>
    public required long Datagrams { get; set; }

    public required long Calls { get; set; }

    /// <summary>0 if there was no call.</summary>
    public required int LeastPerCall { get; set; }

    /// <summary>0 if there was no call.</summary>
    public required double MeanPerCall { get; set; }

    public required int MostPerCall { get; set; }

    /// <summary>Null where the system does not tell.</summary>
    public required long? CpuNanoseconds { get; set; }

    /// <summary>In steps of 10 ms; null where the system does not tell.</summary>
    public required long? UserNanoseconds { get; set; }

    /// <summary>In steps of 10 ms; null where the system does not tell.</summary>
    public required long? SystemNanoseconds { get; set; }

    /// <summary>How often the thread gave up its CPU; null where the system does not tell.</summary>
    public required long? VoluntarySwitches { get; set; }

    /// <summary>How often the thread was taken off its CPU; null where the system does not tell.</summary>
    public required long? InvoluntarySwitches { get; set; }

    /// <summary>Cycles of the processor that it used; null on other systems than Windows.</summary>
    public long? Cycles { get; set; }

    /// <summary>The thread's number in the system (gettid, GetCurrentThreadId); null if unknown.</summary>
    public int? SystemThreadId { get; set; }

    /// <summary>The CPUs that it may run on, for example <c>0-3</c>; null if unknown.</summary>
    public string? AllowedCpuList { get; set; }

    /// <summary>Whether the thread receives for others and runs no handler. Not part of the JSON.</summary>
    [JsonIgnore]
    public bool IsReceiver { get; set; }
}
