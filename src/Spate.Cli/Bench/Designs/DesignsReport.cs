using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Designs;

/// <summary>The report of <c>spate bench designs</c>: every way to divide a server's work among threads.</summary>
internal sealed record DesignsReport : RoundsReport
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "designs";

    /// <summary>An empty report of this kind.</summary>
    public DesignsReport() => Kind = KindName;

    /// <summary>Seconds that the whole bench took.</summary>
    public double Seconds { get; set; }

    /// <summary>Payload bytes of every datagram.</summary>
    public int SizeBytes { get; set; }

    /// <summary>Datagrams sent for every row in every round.</summary>
    public long DatagramsPerRound { get; set; }

    /// <summary>The cost of a round of work on this machine, in nanoseconds.</summary>
    public double NanosecondsPerWorkRound { get; set; }

    /// <summary>Notes that explain figures, for instance where datagrams were lost.</summary>
    public string[] Notes { get; set; } = [];

    /// <summary>One row per design, work and number of threads.</summary>
    public DesignRow[] Rows { get; set; } = [];

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override IEnumerable<ReportSetting> LoadSettings =>
        [ReportSetting.Of("sizeBytes", SizeBytes) with { MustBeAlike = true }];

    internal override JsonTypeInfo JsonType => BenchJson.Default.DesignsReport;
}
