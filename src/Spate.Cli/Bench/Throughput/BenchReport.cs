using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Throughput;

/// <summary>The report of <c>spate bench</c>: the throughput of every way to move datagrams.</summary>
internal sealed record BenchReport : RoundsReport
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "bench";

    /// <summary>An empty report of this kind.</summary>
    public BenchReport() => Kind = KindName;

    /// <summary>Seconds that the whole bench took.</summary>
    public double Seconds { get; set; }

    /// <summary>One row per way and size, in the order of sizes, then of rows; other programs come last.</summary>
    public BenchRow[] Rows { get; set; } = [];

    /// <summary>The CPUs of the two ends and the reason for them, in one line. Not part of the JSON.</summary>
    [JsonIgnore]
    public string Placement { get; set; } = "";

    /// <summary>How long the sender sent in one round, in seconds. Not part of the JSON.</summary>
    [JsonIgnore]
    public double RoundSeconds { get; set; }

    /// <summary>The rate of a row over that of the baseline row at the same size.</summary>
    /// <param name="row">One of <see cref="Rows"/>.</param>
    /// <returns>The quotient; null if <see cref="BenchRun.BaselineRowName"/> did not run at that size.</returns>
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
