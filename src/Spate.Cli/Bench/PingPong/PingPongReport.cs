using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.PingPong;

/// <summary>The report of <c>spate bench pingpong</c>: times of round trips, one after the other.</summary>
internal sealed record PingPongReport : RoundsReport
{
    public const string KindName = "pingpong";

    public PingPongReport() => Kind = KindName;

    public int SizeBytes { get; set; }

    public double Seconds { get; set; }

    /// <summary>One row per way of waiting.</summary>
    public PingPongRow[] Rows { get; set; } = [];

    /// <summary>What servers use while nothing is sent to them, one per design.</summary>
    public IdleRow[] Idle { get; set; } = [];

    /// <summary>The CPUs with the reason, in one line. Not part of the JSON.</summary>
    [JsonIgnore]
    public string Placement { get; set; } = "";

    /// <summary>Per row and round; the rows say how many there was time for. Not part of the JSON.</summary>
    [JsonIgnore]
    public int PingsAsked { get; set; }

    /// <summary>For each idle server. Not part of the JSON.</summary>
    [JsonIgnore]
    public double IdleSeconds { get; set; }

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override IEnumerable<ReportSetting> LoadSettings =>
        [ReportSetting.Of("sizeBytes", SizeBytes) with { MustBeAlike = true }];

    internal override JsonTypeInfo JsonType => BenchJson.Default.PingPongReport;
}
