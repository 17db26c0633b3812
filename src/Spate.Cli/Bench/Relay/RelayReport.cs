using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Relay;

/// <summary>The report of <c>spate bench relay</c>: the cost of relaying datagrams at a fixed rate.</summary>
internal sealed record RelayReport : RoundsReport
{
    public const string KindName = "relay";

    public RelayReport() => Kind = KindName;

    public int SizeBytes { get; set; }

    public double AskedDatagramsPerSecond { get; set; }

    public double Seconds { get; set; }

    /// <summary>First all with a generator that sends GSO messages, then all without.</summary>
    public RelayRow[] Rows { get; set; } = [];

    /// <summary>Generator and sink are called the sender, the relay the receiver. Not part of the JSON.</summary>
    [JsonIgnore]
    public string Placement { get; set; } = "";

    /// <summary>Those that leave the generator at once. Not part of the JSON.</summary>
    [JsonIgnore]
    public int BurstDatagrams { get; set; }

    /// <summary>Not part of the JSON.</summary>
    [JsonIgnore]
    public double RoundSeconds { get; set; }

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override IEnumerable<ReportSetting> LoadSettings =>
    [
        ReportSetting.Of("sizeBytes", SizeBytes) with { MustBeAlike = true },
        ReportSetting.Of("rateAsked", AskedDatagramsPerSecond),
    ];

    internal override JsonTypeInfo JsonType => BenchJson.Default.RelayReport;
}
