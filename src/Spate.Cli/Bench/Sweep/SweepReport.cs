using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;

namespace Spate.Cli.Bench.Sweep;

/// <summary>
/// The report of <c>--sweep cpu</c>: placements on CPUs, and whether one is proven better than the default.
/// </summary>
internal sealed record SweepReport : RoundsReport
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "sweep";

    /// <summary>An empty report of this kind.</summary>
    public SweepReport() => Kind = KindName;

    /// <summary>The kind of the bench whose row was measured: <c>bench</c> or <c>drain</c>.</summary>
    public string Bench { get; set; } = "";

    /// <summary>The row of that bench, for example <c>spate-mmsg-gso-gro</c>.</summary>
    public string Row { get; set; } = "";

    /// <summary>Payload bytes of a datagram.</summary>
    public int SizeBytes { get; set; }

    /// <summary>The figure that was judged, for example <c>datagramsPerSecond</c>.</summary>
    public string Figure { get; set; } = "";

    /// <summary>The placement that a bench takes without <c>--cpu</c>, for example <c>0,1</c>.</summary>
    public string Default { get; set; } = "";

    /// <summary>The placement that both runs prove better than the default; null where there is none.</summary>
    public string? Best { get; set; }

    /// <summary>The result in one sentence.</summary>
    public string Conclusion { get; set; } = "";

    /// <summary>The placements of the first run, the default first.</summary>
    public SweepRow[] Rows { get; set; } = [];

    /// <summary>
    /// The default and the best placement of the first run, measured again beside each other; empty where the first run
    /// proved none better.
    /// </summary>
    public SweepRow[] Repeated { get; set; } = [];

    /// <summary>Seconds that both runs took. Not part of the JSON.</summary>
    [JsonIgnore]
    public double Seconds { get; set; }

    /// <summary>What limited a placement in its rounds.</summary>
    /// <param name="row">One of <see cref="Rows"/> or <see cref="Repeated"/>.</param>
    /// <returns>Its entry in <see cref="RoundsReport.Limits"/>; null where there is none.</returns>
    public BenchRowLimit? FindLimit(SweepRow row)
    {
        string name = SweepCell.NameOf(row.Cpu, Array.IndexOf(Repeated, row) >= 0);
        return Array.Find(Limits, one => one.Row.Equals(name, StringComparison.Ordinal));
    }

    internal override JsonTypeInfo JsonType => BenchJson.Default.SweepReport;
}
