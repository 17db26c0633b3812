using System.Globalization;
using Spate.Cli.Comparison;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Bench.Sweep;

/// <summary>Judges the placements of one run against the default, by the test of <c>spate compare</c>.</summary>
internal static class SweepVerdict
{
    /// <summary>The rows of the placements that were measured; the default, the first, has no verdict.</summary>
    public static SweepRow[] Judge(IReadOnlyList<SweepCell> cells, SweepSubject subject) =>
    [
        .. cells.Where(static cell => cell.IsMeasured)
            .Select(cell => cell == cells[0] ? Describe(cell) : Compare(cells[0], cell, subject)),
    ];

    /// <summary>The row that is better than the default by most; null where none is.</summary>
    public static SweepRow? BestOf(IEnumerable<SweepRow> rows, SweepSubject subject) => rows
        .Where(static row => row.Verdict is CompareRow.Better)
        .MaxBy(row => subject.IsHigherBetter ? row.DifferencePercent : -row.DifferencePercent);

    /// <summary>The result of a sweep in one sentence.</summary>
    /// <param name="candidate">The best row of the first run; null where none was better.</param>
    /// <param name="proven">Its row of the second run; null where it was not better.</param>
    public static string Sentence(
        string standard, SweepRow? candidate, SweepRow? proven, bool isRepeated, SweepSubject subject)
    {
        if (proven is not null) return $"{Claim(proven, "is", subject)} than the default {standard} {Interval(proven)}";

        string none = $"no placement is proven better than the default {standard}";
        return candidate is null ? none
            : isRepeated
                ? $"{none}: {Claim(candidate, "was", subject)} at first, but not in the second run"
                : $"{none}: {Claim(candidate, "was", subject)}, but a second run is missing";
    }

    private static SweepRow Describe(SweepCell cell) => new()
    {
        Cpu = cell.Trial.Option,
        Placement = cell.Trial.What,
        Median = Statistics.Median([.. cell.Rounds]),
        Samples = [.. cell.Rounds],
    };

    private static SweepRow Compare(SweepCell standard, SweepCell cell, SweepSubject subject)
    {
        CompareRow judged = ReportComparison.Judge(Figure(standard, subject), Figure(cell, subject));
        return Describe(cell) with
        {
            DifferencePercent = judged.DifferencePercent,
            LowPercent = judged.LowPercent,
            HighPercent = judged.HighPercent,
            Verdict = judged.Verdict,
            Why = judged.Why,
        };
    }

    private static SampledFigure Figure(SweepCell cell, SweepSubject subject) =>
        new(cell.Trial.Option, subject.Figure, subject.IsHigherBetter, cell.Rounds);

    private static string Claim(SweepRow row, string verb, SweepSubject subject) =>
        $"--cpu {row.Cpu} {verb} {Percent(row.DifferencePercent)} % {(subject.IsHigherBetter ? "faster" : "cheaper")}";

    // Both ends have the sign of the difference, since an interval with 0 in it proves nothing.
    private static string Interval(SweepRow row) => row.DifferencePercent > 0
        ? $"(95 %: {Percent(row.LowPercent)} to {Percent(row.HighPercent)})"
        : $"(95 %: {Percent(row.HighPercent)} to {Percent(row.LowPercent)})";

    private static string Percent(double? percent)
    {
        double size = Math.Abs(percent ?? 0);
        return size.ToString(size < 10 ? "0.0" : "0", CultureInfo.InvariantCulture);
    }
}
