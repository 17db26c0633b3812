using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Comparison;

/// <summary>The report of <c>spate compare</c>: two sides of reports of one kind, figure by figure.</summary>
internal sealed record CompareReport : Report
{
    public const string KindName = "compare";

    public CompareReport() => Kind = KindName;

    /// <summary>Whether a signal ended the runs of <c>--repeat</c> early: the complete pairs are compared.</summary>
    public bool Interrupted { get; set; }

    /// <summary>The kind of the reports that are compared, for example <c>drain</c>.</summary>
    public string ComparedKind { get; set; } = "";

    /// <summary>The first side: what the second is compared with.</summary>
    public CompareSide A { get; set; } = new();

    public CompareSide B { get; set; } = new();

    /// <summary>What a sample is: <c>rounds</c> of the one report of a side, or <c>runs</c>, one a report.</summary>
    public string Samples { get; set; } = "";

    public double ConfidencePercent { get; set; } = LogRatio.ConfidencePercent;

    public CompareDifference[] Differences { get; set; } = [];

    /// <summary>Figures that are better on the second side, by more than chance explains.</summary>
    public int Better { get; set; }

    public int Worse { get; set; }

    public int Unproven { get; set; }

    /// <summary>Figures that cannot be judged, see <see cref="CompareRow.Why"/>.</summary>
    public int Unjudged { get; set; }

    public CompareRow[] Rows { get; set; } = [];

    public string[] OnlyInA { get; set; } = [];

    public string[] OnlyInB { get; set; } = [];

    internal override JsonTypeInfo JsonType => CompareJson.Default.CompareReport;
}

internal sealed record CompareSide
{
    public string[] Sources { get; set; } = [];

    public int Reports { get; set; }

    public override string ToString() => RecordText.Of(nameof(CompareSide), PrintMembers, (nameof(Sources), Sources));
}

/// <summary>A condition under which the two sides were not alike.</summary>
/// <param name="A">Its value on the first side; several values are joined by <c> or </c>.</param>
internal sealed record CompareDifference(string Name, string A, string B);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(CompareReport))]
internal sealed partial class CompareJson : JsonSerializerContext;
