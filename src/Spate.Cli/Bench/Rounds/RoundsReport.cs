using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Rounds;

/// <summary>A report of medians over interleaved rounds. Members outside the JSON are for the table.</summary>
internal abstract record RoundsReport : MeasurementReport
{
    [JsonPropertyOrder(-15)]
    public ThreadReport[] Threads { get; set; } = [];

    /// <summary>A row that failed in one round is not in the report.</summary>
    [JsonPropertyOrder(-5)]
    public int Rounds { get; set; }

    /// <summary>The figures are those of the rounds that were complete by then.</summary>
    [JsonPropertyOrder(-4)]
    public bool Interrupted { get; set; }

    /// <summary>The CPUs in the rounds of each row. Rows of other programs have none.</summary>
    [JsonPropertyOrder(3)]
    public BenchRowLimit[] Limits { get; set; } = [];

    /// <summary>Not part of the JSON.</summary>
    [JsonIgnore]
    public IReadOnlyList<BenchSkippedRow> Skipped { get; set; } = [];

    /// <summary>The CPUs of sender and receiver with the reason, in one line. Not part of the JSON.</summary>
    [JsonIgnore]
    public string Placement { get; set; } = "";

    /// <summary>The time of the whole run. Part of the JSON of some benches only.</summary>
    [JsonIgnore]
    public virtual double Seconds { get; set; }

    /// <summary>The time of sending in a round of a bench that chooses it. Not part of the JSON.</summary>
    [JsonIgnore]
    public double RoundSeconds { get; set; }

    internal sealed override JsonTypeInfo JsonType => TypeOf(GetType());

    internal override IReadOnlyList<ThreadReport> WorkingThreads => Threads;

    internal override IEnumerable<ReportSetting> RunSettings =>
    [
        .. base.RunSettings,
        .. LoadSettings,
        ReportSetting.Of("rounds", Rounds),
        ReportSetting.Of("interrupted", Interrupted),
    ];

    /// <summary>The settings of the datagrams of all rows. Most benches name the size with each row instead.</summary>
    internal virtual IEnumerable<ReportSetting> LoadSettings => [];

    /// <summary>The JSON of a type of report.</summary>
    public static JsonTypeInfo TypeOf(Type report) => BenchJson.Default.GetTypeInfo(report)!;

    /// <summary>Leaves CPUs without much work out of <see cref="Limits"/>.</summary>
    public void OmitIdleCores()
    {
        foreach (BenchRowLimit limit in Limits) limit.Cores = CpuTotals.WithoutIdle(limit.Cores);
    }

    // Both ends of a benchmark are on the loopback.
    internal override void SetHost()
    {
        base.SetHost();
        Links = LinkMeter.Of([(UdpEndPoint.Loopback(0), default)]).Report();
    }

    /// <summary>With null <paramref name="threadsOf"/>, all cells have <see cref="Threads"/>.</summary>
    internal void SetLimits<TRound>(
        IEnumerable<BenchCell<TRound>> cells, Func<BenchCell<TRound>, IEnumerable<ThreadReport>?>? threadsOf = null) =>
        Limits =
        [
            .. cells.Where(static cell => cell.IsMeasured).Select(cell => BenchRowLimit.Of(
                cell.Name, cell.SizeBytes, cell.Cores, threadsOf?.Invoke(cell) ?? ThreadsOf(cell), cell.Spins)),
        ];

    private ThreadReport[] ThreadsOf<TRound>(BenchCell<TRound> cell)
    {
        if (Threads is not [var only]) return Threads;

        ThreadReport measured = only with { };
        measured.SetUse(cell.Uses.Aggregate(static (sum, use) => sum + use));
        return [measured];
    }
}

/// <summary>A report of rounds with its rows, whose figures are declared with them.</summary>
internal abstract record RoundsReport<TRow> : RoundsReport
    where TRow : RoundsRow
{
    private readonly Metrics<TRow> _metrics;

    protected RoundsReport(string kind, Metrics<TRow> metrics)
    {
        Kind = kind;
        _metrics = metrics;
    }

    /// <summary>In the order of the table.</summary>
    [JsonPropertyOrder(1)]
    public TRow[] Rows { get; set; } = [];

    internal sealed override IReadOnlyList<ComparedFigure>? Figures => [.. Rows.SelectMany(_metrics.FiguresOf)];
}

/// <summary>What the CPUs did in the rounds of one row, and which of them was its limit.</summary>
internal sealed record BenchRowLimit
{
    /// <summary>The row, with its settings where rows differ by them.</summary>
    public string Row { get; set; } = "";

    public int SizeBytes { get; set; }

    /// <summary>See <see cref="MeasurementReport.LimitCpu"/>; over all rounds of the row.</summary>
    public int? LimitCpu { get; set; }

    public string? LimitCause { get; set; }

    /// <summary>See <see cref="MeasurementReport.Limit"/>; null too where all rounds took under 0.2 s.</summary>
    public string? Limit { get; set; }

    public double? ThrottledSeconds { get; set; }

    /// <summary>The CPUs that matter to the row, or with <c>--cores</c> all of them.</summary>
    public CpuReport[] Cores { get; set; } = [];

    /// <summary><paramref name="spins"/> says that the threads use whole CPUs on purpose.</summary>
    internal static BenchRowLimit Of(
        string row, int sizeBytes, IEnumerable<CpuTotals> rounds, IEnumerable<ThreadReport> threads, bool spins)
    {
        // Rows have threads that the bench does not place, such as those of the thread pool. The process's CPU time
        // without that of its placed threads is theirs, wherever it was used.
        var sum = new CpuTotals();
        sum.Places.HasUnknownThreads = true;
        foreach (CpuTotals round in rounds) sum.Add(round);
        foreach (ThreadReport thread in threads) Add(sum.Places, thread, spins);
        CpuLimit limit = sum.FindLimit();
        return new BenchRowLimit
        {
            Row = row,
            SizeBytes = sizeBytes,
            LimitCpu = limit.Cpu,
            LimitCause = limit.Cause,
            Limit = limit.Sentence,
            ThrottledSeconds = sum.ThrottledSeconds,
            Cores =
            [
                .. sum.Report(showsAll: true).Select(core => sum.Places.HasThreadOn(core.Cpu)
                    ? core
                    : core with { OwnPercent = null }),
            ],
        };
    }

    private static void Add(CpuAttribution places, ThreadReport thread, bool spins)
    {
        if (thread.CpuNanoseconds is not { } nanoseconds)
        {
            places.AddRole(thread.Cpu, thread.Role, spins);
            return;
        }

        var use = new ThreadIntervalReport
        {
            Role = thread.Role,
            CpuNanoseconds = nanoseconds,
            UserNanoseconds = thread.UserNanoseconds,
            RunQueueNanoseconds = thread.RunQueueNanoseconds,
        };
        if (thread.Cpu is null) return;

        places.AddThread(use, thread.Cpu, spins);
        places.AddMovable(-nanoseconds);
    }
}

/// <summary>What the rows of a bench tell of the datagrams that a machine can receive.</summary>
internal static class RoundsCapacity
{
    /// <summary>Many clients send no GSO messages, so a row that coalesces would promise too much.</summary>
    public static IReadOnlyList<string> RowNames { get; } = ["spate-portable", "spate-mmsg"];

    /// <summary>Reads the row whose size is nearest.</summary>
    public static CapacityReading Of(
        RoundsReport report, IEnumerable<(string Name, MeasuredCapacity Capacity)> rows, int sizeBytes)
    {
        MeasuredCapacity? nearest = rows
            .Where(static row => RowNames.Contains(row.Name, StringComparer.Ordinal))
            .OrderBy(row => Math.Abs((long)row.Capacity.SizeBytes!.Value - sizeBytes))
            .ThenByDescending(static row => row.Name is "spate-mmsg")
            .FirstOrDefault().Capacity;
        if (nearest is null)
        {
            return CapacityReading.Refused(
                $"the report of kind {report.Kind} has no row {string.Join(" or ", RowNames)}, which a plan needs: "
                + "measure with one of them");
        }

        return CapacityReading.Of(nearest with
        {
            Cpus = report.Cpus > 0 ? report.Cpus : null,
            Interrupted = report.Interrupted,
            Assumptions = [.. Assumptions(report), .. nearest.Assumptions],
        });
    }

    private static string[] Assumptions(RoundsReport report)
    {
        string[] all =
        [
            MeasuredCapacity.ReceivedOnly,
            "the CPU time is that of the receiving thread on the loopback; softirq time outside the thread, "
                + "such as for a NIC, comes on top",
        ];
        return report.Interrupted
            ? [.. all, $"the bench was interrupted after {RowText.Count(report.Rounds, "round")}"]
            : all;
    }
}
