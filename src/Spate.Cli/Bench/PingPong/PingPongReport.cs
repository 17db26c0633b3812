using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.PingPong;

/// <summary>The report of <c>spate bench pingpong</c>: times of round trips, one after the other.</summary>
internal sealed record PingPongReport : RoundsReport
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "pingpong";

    /// <summary>An empty report of this kind.</summary>
    public PingPongReport() => Kind = KindName;

    /// <summary>Payload bytes of a ping.</summary>
    public int SizeBytes { get; set; }

    /// <summary>Seconds that the whole bench took.</summary>
    public double Seconds { get; set; }

    /// <summary>One row per way of waiting.</summary>
    public PingPongRow[] Rows { get; set; } = [];

    /// <summary>What servers use while nothing is sent to them, one per design.</summary>
    public IdleRow[] Idle { get; set; } = [];

    /// <summary>The CPUs of the two ends and the reason for them, in one line. Not part of the JSON.</summary>
    [JsonIgnore]
    public string Placement { get; set; } = "";

    /// <summary>
    /// The requested pings per row and round. The rows say how many there was time for. Not part of the JSON.
    /// </summary>
    [JsonIgnore]
    public int PingsAsked { get; set; }

    /// <summary>How long each idle server was watched, in seconds. Not part of the JSON.</summary>
    [JsonIgnore]
    public double IdleSeconds { get; set; }

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override IEnumerable<ReportSetting> LoadSettings =>
        [ReportSetting.Of("sizeBytes", SizeBytes) with { MustBeAlike = true }];

    internal override JsonTypeInfo JsonType => BenchJson.Default.PingPongReport;
}
