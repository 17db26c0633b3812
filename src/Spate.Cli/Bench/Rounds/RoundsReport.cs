using System.Text.Json.Serialization;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Rounds;

/// <summary>
/// The report of a benchmark that measured its rows in interleaved rounds. The rows hold medians. Members that are not
/// part of the JSON are for the table.
/// </summary>
internal abstract record RoundsReport : MeasurementReport
{
    /// <summary>The measuring threads with their CPUs and NUMA nodes.</summary>
    [JsonPropertyOrder(-15)]
    public ThreadReport[] Threads { get; set; } = [];

    /// <summary>The number of rounds of each row. A row that failed in one round is not in the report.</summary>
    [JsonPropertyOrder(-5)]
    public int Rounds { get; set; }

    /// <summary>
    /// Whether the run was cancelled. The figures are those of the rounds that were complete by then.
    /// </summary>
    [JsonPropertyOrder(-4)]
    public bool Interrupted { get; set; }

    /// <summary>What limited each row: the CPUs in its rounds. Rows of other programs have none.</summary>
    [JsonPropertyOrder(3)]
    public BenchRowLimit[] Limits { get; set; } = [];

    /// <summary>The rows that did not run, each with its reason. Not part of the JSON.</summary>
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

    /// <summary>Finds what limited the cells that were measured.</summary>
    /// <param name="cells">The cells.</param>
    /// <param name="threadsOf">
    /// The threads of a cell, with what they used; null where all have <see cref="Threads"/>. A single one measures.
    /// </param>
    internal void SetLimits<TRound>(
        IEnumerable<BenchCell<TRound>> cells, Func<BenchCell<TRound>, IEnumerable<ThreadReport>>? threadsOf = null) =>
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
