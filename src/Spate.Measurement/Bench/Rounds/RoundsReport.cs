using System.Text.Json.Serialization;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Bench.Rounds;

/// <summary>
/// The report of a benchmark: its rows were measured in interleaved rounds and hold medians. The members that are not
/// part of the JSON are for the table.
/// </summary>
public abstract record RoundsReport : MeasurementReport
{
    /// <summary>The measuring threads with their CPUs and NUMA nodes.</summary>
    [JsonPropertyOrder(-15)]
    public ThreadReport[] Threads { get; set; } = [];

    /// <summary>How often each row was measured. A row that failed in one round is not in the report.</summary>
    [JsonPropertyOrder(-5)]
    public int Rounds { get; set; }

    /// <summary>The rows that did not run, each with its reason. Not part of the JSON.</summary>
    [JsonIgnore]
    public IReadOnlyList<BenchSkippedRow> Skipped { get; set; } = [];
}
