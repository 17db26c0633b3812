using System.Text.Json.Serialization;
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
