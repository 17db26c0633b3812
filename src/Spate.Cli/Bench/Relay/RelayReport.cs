using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Relay;

/// <summary>The report of <c>spate bench relay</c>: the cost of relaying datagrams at a fixed rate.</summary>
internal sealed record RelayReport : RoundsReport
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "relay";

    /// <summary>An empty report of this kind.</summary>
    public RelayReport() => Kind = KindName;

    /// <summary>Payload bytes of a datagram.</summary>
    public int SizeBytes { get; set; }

    /// <summary>The requested datagrams per second.</summary>
    public double AskedDatagramsPerSecond { get; set; }

    /// <summary>Seconds that the whole bench took.</summary>
    public double Seconds { get; set; }

    /// <summary>
    /// One row per relay: first all with a generator that sends GSO messages, then all without GSO messages.
    /// </summary>
    public RelayRow[] Rows { get; set; } = [];

    /// <summary>
    /// The CPUs and the reason for them, in one line. Generator and sink are called the sender, the relay the receiver.
    /// Not part of the JSON.
    /// </summary>
    [JsonIgnore]
    public string Placement { get; set; } = "";

    /// <summary>Datagrams that leave the generator at once. Not part of the JSON.</summary>
    [JsonIgnore]
    public int BurstDatagrams { get; set; }

    /// <summary>The length of a round, in seconds. Not part of the JSON.</summary>
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
