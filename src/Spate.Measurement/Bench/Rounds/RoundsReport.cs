using System.Text.Json.Serialization;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Bench.Rounds;

/// <summary>
/// The report of a benchmark that measured its rows in interleaved rounds. The rows hold medians. Members that are not
/// part of the JSON are for the table.
/// </summary>
public abstract record RoundsReport : MeasurementReport
{
    /// <summary>The measuring threads with their CPUs and NUMA nodes.</summary>
    [JsonPropertyOrder(-15)]
    public ThreadReport[] Threads { get; set; } = [];

    /// <summary>The number of rounds of each row. A row that failed in one round is not in the report.</summary>
    [JsonPropertyOrder(-5)]
    public int Rounds { get; set; }

    /// <summary>
    /// Whether the run was cancelled. The figures are those of the rounds that were complete by then.
    /// </summary>
    [JsonPropertyOrder(-4)]
    public bool Interrupted { get; set; }

    /// <summary>The rows that did not run, each with its reason. Not part of the JSON.</summary>
    [JsonIgnore]
    public IReadOnlyList<BenchSkippedRow> Skipped { get; set; } = [];
}
