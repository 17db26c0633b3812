using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Designs;

/// <summary>The report of <c>spate bench designs</c>: every way to divide a server's work among threads.</summary>
internal sealed record DesignsReport : RoundsReport
{
    public const string KindName = "designs";

    public DesignsReport() => Kind = KindName;

    public double Seconds { get; set; }

    public int SizeBytes { get; set; }

    public long DatagramsPerRound { get; set; }

    public double NanosecondsPerWorkRound { get; set; }

    public string[] Notes { get; set; } = [];

    /// <summary>One row per design, work and number of threads.</summary>
    public DesignRow[] Rows { get; set; } = [];

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override IEnumerable<ReportSetting> LoadSettings =>
        [ReportSetting.Of("sizeBytes", SizeBytes) with { MustBeAlike = true }];

    internal override JsonTypeInfo JsonType => BenchJson.Default.DesignsReport;
}
