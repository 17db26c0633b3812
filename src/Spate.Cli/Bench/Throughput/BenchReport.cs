using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Throughput;

/// <summary>The report of <c>spate bench</c>: the throughput of every way to move datagrams.</summary>
internal sealed record BenchReport : RoundsReport
{
    public const string KindName = "bench";

    public BenchReport() => Kind = KindName;

    public double Seconds { get; set; }

    /// <summary>In the order of sizes, then of rows; other programs come last.</summary>
    public BenchRow[] Rows { get; set; } = [];

    /// <summary>The CPUs with the reason, in one line. Not part of the JSON.</summary>
    [JsonIgnore]
    public string Placement { get; set; } = "";

    /// <summary>The time of sending. Not part of the JSON.</summary>
    [JsonIgnore]
    public double RoundSeconds { get; set; }

    /// <summary>Null if <see cref="BenchRun.BaselineRowName"/> did not run at that size.</summary>
    public double? TimesBaseline(BenchRow row) => Array.Find(
        Rows,
        other => other.SizeBytes == row.SizeBytes
            && string.Equals(other.Name, BenchRun.BaselineRowName, StringComparison.Ordinal))
        is { DatagramsPerSecond: > 0 } baseline
            ? row.DatagramsPerSecond / baseline.DatagramsPerSecond
            : null;

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override CapacityReading? ReadCapacity(int sizeBytes) =>
        RoundsCapacity.Of(this, Rows.Select(static row => (row.Name, row.Capacity)), sizeBytes);

    internal override JsonTypeInfo JsonType => BenchJson.Default.BenchReport;
}
