using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Comparison;

/// <summary>
/// Compares two sides of reports. With one report a side, its rounds are the samples; otherwise each report is one.
/// Rounds of several runs are never mixed: those of one run are more alike than those of two, which would make chance
/// look small. Intervals of a run are no samples at all, since each depends on the one before.
/// </summary>
internal static class ReportComparison
{
    /// <summary>The samples a side from which on there is a verdict: 5.</summary>
    public const int MinSamples = 5;

    public const int MaxReports = 1000;

    /// <param name="allowsDifferent">Whether reports of different machines and sizes are compared too.</param>
    public static bool TryCompare(
        IReadOnlyList<Report> a,
        IReadOnlyList<Report> b,
        bool allowsDifferent,
        [NotNullWhen(true)] out CompareReport? comparison,
        [NotNullWhen(false)] out string? error)
    {
        comparison = null;
        error = FaultOf(a, b);
        if (error is not null) return false;

        IReadOnlyList<CompareDifference> differences =
            ReportSettings.Differences(a, b, out CompareDifference? forbidding);
        if (forbidding is not null && !allowsDifferent)
        {
            error = $"the reports are of different things: {forbidding.Name} is {forbidding.A} and {forbidding.B}; "
                + "--allow-different compares them all the same";
            return false;
        }

        bool byRounds = a.Count == 1 && b.Count == 1;
        var first = FigureTable.Of(a, byRounds);
        var second = FigureTable.Of(b, byRounds);
        CompareRow[] rows = [.. first.Common(second).Select(static pair => Judge(pair.First, pair.Second))];
        if (rows.Length == 0)
        {
            error = "the reports have no row in common: compare reports of the same rows and sizes";
            return false;
        }

        comparison = new CompareReport
        {
            ComparedKind = a[0].Kind,
            A = new CompareSide { Reports = a.Count },
            B = new CompareSide { Reports = b.Count },
            Samples = byRounds && rows.Any(static row => row.SamplesA > 1) ? "rounds" : "runs",
            Differences = [.. differences],
            Rows = rows,
            Better = CountOf(CompareRow.Better),
            Worse = CountOf(CompareRow.Worse),
            Unproven = CountOf(CompareRow.Unproven),
            Unjudged = CountOf(CompareRow.Unjudged),
            OnlyInA = [.. first.RowsNotIn(second)],
            OnlyInB = [.. second.RowsNotIn(first)],
        };
        return true;

        int CountOf(string verdict) =>
            rows.Count(row => string.Equals(row.Verdict, verdict, StringComparison.Ordinal));
    }

    private static string? FaultOf(IReadOnlyList<Report> a, IReadOnlyList<Report> b)
    {
        if (a.Count is 0 or > MaxReports || b.Count is 0 or > MaxReports)
        {
            int wrong = a.Count is 0 or > MaxReports ? a.Count : b.Count;
            return $"a side has {wrong} reports: expected 1 to {MaxReports}";
        }

        string[] kinds = [.. a.Concat(b).Select(static report => report.Kind).Distinct(StringComparer.Ordinal)];
        if (kinds.Length > 1)
        {
            return $"the reports are of different kinds, {kinds[0]} and {kinds[1]}: compare reports of one kind";
        }

        return a[0].Figures is null
            ? $"a report of kind {kinds[0]} has no figures that could be better or worse"
            : null;
    }

    /// <summary>Judges one figure, whose samples on both sides were taken alike.</summary>
    internal static CompareRow Judge(SampledFigure a, SampledFigure b)
    {
        if ((a.NoMeasure ?? b.NoMeasure) is { } why) return new CompareRow { Row = a.Row, Figure = a.Name, Why = why };

        var row = new CompareRow
        {
            Row = a.Row,
            Figure = a.Name,
            A = a.Middle,
            B = b.Middle,
            SamplesA = a.Samples.Count,
            SamplesB = b.Samples.Count,
            ZerosA = ZerosOf(a),
            ZerosB = ZerosOf(b),
        };
        if (a.Samples.Count < 2 || b.Samples.Count < 2)
        {
            return row with
            {
                Why = string.Create(
                    CultureInfo.InvariantCulture,
                    $"A has {a.Samples.Count} and B {b.Samples.Count} values: {MinSamples} a side are needed"),
            };
        }

        if (row.ZerosA + row.ZerosB > 0) return JudgeRanks(row, a, b);

        var ratio = LogRatio.Of(a.Samples, b.Samples);
        if (!double.IsFinite(ratio.High) || !(ratio.Low > 0) || !double.IsFinite(ratio.DetectablePercent))
        {
            return row with { Why = "its values lie too far apart to have a ratio" };
        }

        row = row with
        {
            DifferencePercent = Percent(ratio.Ratio),
            LowPercent = Percent(ratio.Low),
            HighPercent = Percent(ratio.High),
            DetectablePercent = ratio.DetectablePercent,
        };
        return TooFew(row) is { } few
            ? row with { Why = few }
            : row with { Verdict = VerdictOf(ratio.IsShown, isHigher: ratio.Ratio > 1, a.IsHigherBetter) };
    }

    // A value of 0 has no ratio to another one, but a rank among all of them.
    private static CompareRow JudgeRanks(CompareRow row, SampledFigure a, SampledFigure b)
    {
        if (TooFew(row) is { } few) return row with { Why = few };

        if (row.SamplesA + row.SamplesB > RankSum.MaxValues)
        {
            return row with
            {
                Why = $"it has values of 0, which are judged by ranks, of {RankSum.MaxValues} samples at most",
            };
        }

        var ranks = RankSum.Of(a.Samples, b.Samples);
        return row with
        {
            ChancePercent = 100 * ranks.Chance,
            Verdict = VerdictOf(ranks.IsShown, isHigher: ranks.Shift > 0, a.IsHigherBetter),
        };
    }

    private static string? TooFew(CompareRow row) => Math.Min(row.SamplesA, row.SamplesB) is < MinSamples and var least
        ? string.Create(CultureInfo.InvariantCulture, $"a side has {least} samples: {MinSamples} are needed")
        : null;

    private static string VerdictOf(bool isShown, bool isHigher, bool isHigherBetter) =>
        !isShown ? CompareRow.Unproven : isHigher == isHigherBetter ? CompareRow.Better : CompareRow.Worse;

    private static int ZerosOf(SampledFigure figure) => figure.Samples.Count(static value => value == 0);

    private static double Percent(double ratio) => 100 * (ratio - 1);
}
