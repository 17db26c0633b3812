using System.Globalization;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Shell.Terminal;
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
}

/// <summary>A condition under which the two sides were not alike.</summary>
/// <param name="A">Its value on the first side; several values are joined by <c> or </c>.</param>
internal sealed record CompareDifference(string Name, string A, string B);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(CompareReport))]
internal sealed partial class CompareJson : JsonSerializerContext;

/// <summary>One figure of one row on both sides.</summary>
internal sealed record CompareRow
{
    public const string Better = "better";

    public const string Worse = "worse";

    public const string Unproven = "no difference shown";

    public const string Unjudged = "no verdict";

    /// <summary>The row of the reports; empty where they have no rows.</summary>
    public string Row { get; set; } = "";

    public string Figure { get; set; } = "";

    /// <summary>The median of the first side; null where it is not known.</summary>
    public double? A { get; set; }

    public double? B { get; set; }

    public int SamplesA { get; set; }

    public int SamplesB { get; set; }

    public int ZerosA { get; set; }

    public int ZerosB { get; set; }

    /// <summary>By how much the second side is larger, in percent, by geometric means; null if not judged.</summary>
    public double? DifferencePercent { get; set; }

    /// <summary>The lower end of the 95 % interval of <see cref="DifferencePercent"/>; null where that is.</summary>
    public double? LowPercent { get; set; }

    public double? HighPercent { get; set; }

    /// <summary>The difference that such samples show in 80 of 100 comparisons, in percent.</summary>
    public double? DetectablePercent { get; set; }

    /// <summary>
    /// How often chance alone would put the samples at least as far apart, in percent, by their ranks. Figures of which
    /// a sample is 0 are judged so, since they have no ratio: up to 5 % is a verdict. Null for the others.
    /// </summary>
    public double? ChancePercent { get; set; }

    public string Verdict { get; set; } = Unjudged;

    public string? Why { get; set; }
}

/// <summary>The text of <c>spate compare</c>: what differs around the figures, a table of them, the sum.</summary>
internal static class CompareText
{
    private static readonly Table<CompareDifference> Differences = new(
        new("differs", Align.Left, 0, static one => one.Name),
        new("A", Align.Left, 0, static one => one.A),
        new("B", Align.Left, 0, static one => one.B));

    private static readonly Table<CompareRow> Judged = new(
        new("row", Align.Left, 0, static row => row.Row),
        new("figure", Align.Left, 0, static row => row.Figure),
        new("A", Align.Right, 1, static row => Value(row.A)),
        new("B", Align.Right, 1, static row => Value(row.B)),
        new("B to A %", Align.Right, 0, static row => Percent(row.DifferencePercent)),
        new("95 % interval", Align.Right, 2, static row => $"{Percent(row.LowPercent)} to {Percent(row.HighPercent)}"),
        new("shows from %", Align.Right, 3, static row => Units.Number(row.DetectablePercent, "0.0")),
        new("B is", Align.Left, 0, static row => row.Verdict));

    private static readonly Table<CompareRow> Ranked = new(
        new("row", Align.Left, 0, static row => row.Row),
        new("figure", Align.Left, 0, static row => row.Figure),
        new("A", Align.Right, 0, static row => Value(row.A)),
        new("B", Align.Right, 0, static row => Value(row.B)),
        new("A is 0", Align.Right, 1, static row => $"{Units.Count(row.ZerosA)} of {Units.Count(row.SamplesA)}"),
        new("B is 0", Align.Right, 1, static row => $"{Units.Count(row.ZerosB)} of {Units.Count(row.SamplesB)}"),
        new("chance %", Align.Right, 2, static row => Units.Number(row.ChancePercent, "0.0")),
        new("B is", Align.Left, 0, static row => row.Verdict));

    private static readonly Table<CompareRow> Unjudged = new(
        new("row", Align.Left, 0, static row => row.Row),
        new("figure", Align.Left, 0, static row => row.Figure),
        new("A", Align.Right, 0, static row => Value(row.A)),
        new("B", Align.Right, 0, static row => Value(row.B)),
        new("B to A %", Align.Right, 1, static row => Percent(row.DifferencePercent)));

    public static void Write(CompareReport report, TerminalWriter writer)
    {
        writer.Line($"A: {Count(report.A.Reports, "report")} of {report.ComparedKind}, {Sources(report.A)}");
        writer.Line($"B: {Count(report.B.Reports, "report")} of {report.ComparedKind}, {Sources(report.B)}");
        if (report.Differences.Length > 0)
        {
            writer.Line();
            writer.Table(Differences, report.Differences);
        }

        CompareRow[] judged = [.. report.Rows.Where(static row => row.Why is null)];
        CompareRow[] byRatio = [.. judged.Where(static row => row.ChancePercent is null)];
        if (byRatio.Length > 0)
        {
            writer.Line();
            writer.Table(Judged, byRatio);
            WriteContrary(byRatio, writer);
        }

        if (byRatio.Length < judged.Length)
        {
            writer.Line();
            writer.Line("judged by ranks, because values of 0 have no ratio:");
            writer.Table(Ranked, judged.Except(byRatio));
        }

        foreach (IGrouping<string?, CompareRow> rows in report.Rows
            .Where(static row => row.Why is not null).GroupBy(static row => row.Why, StringComparer.Ordinal))
        {
            writer.Line();
            writer.Line($"no verdict, because {rows.Key}:");
            writer.Table(Unjudged, rows);
        }

        writer.Line();
        WriteOnly("A", report.OnlyInA, writer);
        WriteOnly("B", report.OnlyInB, writer);
        WriteSum(report, judged.Length, writer);
    }

    private static void WriteContrary(CompareRow[] rows, TerminalWriter writer)
    {
        int count = rows.Count(static row =>
            Percent(row.DifferencePercent) is not "0.0" && (row.B - row.A) * row.DifferencePercent < 0);
        if (count == 0) return;

        writer.Line($"in {Count(count, "row")}, B to A % and the medians A and B disagree: B to A % "
            + "compares the geometric means of all samples");
    }

    private static void WriteSum(CompareReport report, int judged, TerminalWriter writer)
    {
        if (judged == 0)
        {
            writer.Line("no figure has a verdict");
            return;
        }

        writer.Line($"of {Count(judged, "figure")}, B is better in {report.Better} and worse in {report.Worse}; "
            + $"no difference is shown in {report.Unproven}. Samples: {report.Samples}.");

        // 95 % confidence means that chance alone shows a difference in 1 of 20.
        if (judged >= 10) writer.Line($"by chance alone, about {judged / 20.0:0.#} of {judged} would look different");
        if (report.Samples is "rounds") writer.Line("rounds of one run: the next run may differ by more (--repeat 5)");
    }

    private static void WriteOnly(string side, string[] rows, TerminalWriter writer)
    {
        if (rows.Length > 0) writer.Line($"only in {side}: {string.Join("; ", rows)}");
    }

    private static string Sources(CompareSide side) => side.Sources.Length switch
    {
        0 => "",
        1 => side.Sources[0],
        _ => $"{side.Sources[0]} and {side.Sources.Length - 1} more",
    };

    private static string Count(int count, string noun) => $"{Units.Count(count)} {noun}{(count == 1 ? "" : "s")}";

    // Nanoseconds have decimals that matter, and datagrams per second have none.
    public static string Value(double? value) => value is { } known && Math.Abs(known) >= 1000
        ? Units.Number(known, "#,0")
        : Units.Number(value, "0.###");

    public static string Percent(double? percent) =>
        percent?.ToString("+0.0;-0.0;0.0", CultureInfo.InvariantCulture) ?? Units.NotKnown;
}
