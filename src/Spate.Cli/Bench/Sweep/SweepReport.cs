using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;

namespace Spate.Cli.Bench.Sweep;

/// <summary>The report of <c>--sweep cpu</c>: placements, and whether one is proven better than the default.</summary>
internal sealed record SweepReport : RoundsReport
{
    public const string KindName = "sweep";

    public SweepReport() => Kind = KindName;

    /// <summary>The kind of the bench whose row was measured: <c>bench</c> or <c>drain</c>.</summary>
    public string Bench { get; set; } = "";

    /// <summary>For example <c>spate-mmsg-gso-gro</c>.</summary>
    public string Row { get; set; } = "";

    public int SizeBytes { get; set; }

    /// <summary>For example <c>datagramsPerSecond</c>.</summary>
    public string Figure { get; set; } = "";

    /// <summary>The placement that a bench takes without <c>--cpu</c>, for example <c>0,1</c>.</summary>
    public string Default { get; set; } = "";

    /// <summary>The placement that both runs prove better than the default; null where there is none.</summary>
    public string? Best { get; set; }

    /// <summary>The verdict, in one sentence.</summary>
    public string Conclusion { get; set; } = "";

    /// <summary>Those of the first run, the default first.</summary>
    public SweepRow[] Rows { get; set; } = [];

    /// <summary>The default and the best of the first run, measured again; empty where none was better.</summary>
    public SweepRow[] Repeated { get; set; } = [];

    /// <summary>Those of both runs. Not part of the JSON.</summary>
    [JsonIgnore]
    public double Seconds { get; set; }

    /// <summary>Null where it has none.</summary>
    public BenchRowLimit? FindLimit(SweepRow row)
    {
        string name = SweepCell.NameOf(row.Cpu, Array.IndexOf(Repeated, row) >= 0);
        return Array.Find(Limits, one => one.Row.Equals(name, StringComparison.Ordinal));
    }

    internal override JsonTypeInfo JsonType => BenchJson.Default.SweepReport;
}
