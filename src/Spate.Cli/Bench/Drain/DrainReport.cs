using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Drain;

/// <summary>The report of <c>spate bench drain</c>, in which one thread fills a socket and then empties it.</summary>
internal sealed record DrainReport : RoundsReport
{
    public const string KindName = "drain";

    public DrainReport() => Kind = KindName;

    /// <summary>One row per way and size, in the order of sizes, then of rows.</summary>
    public DrainRow[] Rows { get; set; } = [];

    /// <summary>Not part of the JSON.</summary>
    [JsonIgnore]
    public double Seconds { get; set; }

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override CapacityReading? ReadCapacity(int sizeBytes) =>
        RoundsCapacity.Of(this, Rows.Select(static row => (row.Name, row.Capacity)), sizeBytes);

    internal override JsonTypeInfo JsonType => BenchJson.Default.DrainReport;
}
