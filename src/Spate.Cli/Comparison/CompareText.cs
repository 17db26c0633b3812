using System.Globalization;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Comparison;

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

        writer.Line($"in {Count(count, "row")}, B to A % and the medians A and B point to different sides: B to A % "
            + "compares the geometric means, in which all samples count");
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
