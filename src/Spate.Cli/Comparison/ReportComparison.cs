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
            error = $"the reports are not comparable: {forbidding.Name} is {forbidding.A} and {forbidding.B}; "
                + "--allow-different compares them anyway";
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
            ? $"a report of kind {kinds[0]} has no figures to compare"
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
        if (row is { A: { } middleA, B: { } middleB } && !double.IsFinite(middleA + middleB))
        {
            return row with { A = null, B = null, Why = "its values are too large" };
        }

        if (a.Samples.Count < 2 || b.Samples.Count < 2)
        {
            return row with
            {
                Why = string.Create(
                    CultureInfo.InvariantCulture,
                    $"A has {a.Samples.Count} and B {b.Samples.Count} values: {MinSamples} per side are needed"),
            };
        }

        if (row.ZerosA + row.ZerosB > 0) return JudgeRanks(row, a, b);

        var ratio = LogRatio.Of(a.Samples, b.Samples);
        if (!double.IsFinite(ratio.High) || !(ratio.Low > 0) || !double.IsFinite(ratio.DetectablePercent))
        {
            return row with { Why = "its values are too far apart for a ratio" };
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
                Why = $"it has values of 0, which are judged by ranks, for at most {RankSum.MaxValues} samples",
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

/// <summary>Compares the settings of reports.</summary>
internal static class ReportSettings
{
    /// <summary>The settings that differ among the reports, and the first that must be alike; null for none.</summary>
    public static IReadOnlyList<CompareDifference> Differences(
        IReadOnlyList<Report> a, IReadOnlyList<Report> b, out CompareDifference? forbidding)
    {
        var differences = new List<CompareDifference>();
        forbidding = null;
        ReportSetting[] ofA = [.. a.SelectMany(static report => report.ComparedSettings)];
        ReportSetting[] ofB = [.. b.SelectMany(static report => report.ComparedSettings)];
        ILookup<string, ReportSetting> all = ofA.Concat(ofB).ToLookup(static one => one.Name, StringComparer.Ordinal);
        foreach (IGrouping<string, ReportSetting> alike in all)
        {
            string[] valuesOfA = ValuesOf(alike.Key, ofA);
            string[] valuesOfB = ValuesOf(alike.Key, ofB);
            if (valuesOfA.Union(valuesOfB, StringComparer.Ordinal).Count() == 1) continue;

            var difference = new CompareDifference(
                alike.Key, string.Join(" or ", valuesOfA), string.Join(" or ", valuesOfB));
            differences.Add(difference);
            if (alike.First().MustBeAlike) forbidding ??= difference;
        }

        return differences;
    }

    private static string[] ValuesOf(string name, IEnumerable<ReportSetting> side) =>
    [
        .. side.Where(setting => string.Equals(setting.Name, name, StringComparison.Ordinal))
            .Select(static setting => setting.Value)
            .DefaultIfEmpty("absent")
            .Distinct(StringComparer.Ordinal),
    ];
}

/// <summary>A figure of one side, with a value for each round or run.</summary>
internal sealed record SampledFigure(string Row, string Name, bool IsHigherBetter, IReadOnlyList<double> Samples)
{
    /// <summary>See <see cref="ComparedFigure.NoMeasure"/>: of one run is enough.</summary>
    public string? NoMeasure { get; init; }

    public double? Middle => Samples.Count == 0 ? null : Statistics.Median([.. Samples]);
}

/// <summary>The figures of one side, in the order of its first report.</summary>
internal sealed class FigureTable
{
    private readonly OrderedDictionary<(string Row, string Name), SampledFigure> _figures = [];

    /// <summary><c>byRounds</c>: whether the rounds of the one report are the samples, where it has any.</summary>
    public static FigureTable Of(IReadOnlyList<Report> reports, bool byRounds)
    {
        var table = new FigureTable();
        foreach (Report report in reports)
        {
            // A report has each row once. Further ones would count as further runs.
            foreach (ComparedFigure figure in report.Figures!.DistinctBy(static one => (one.Row, one.Name)))
            {
                double[] samples = byRounds && figure.Rounds.Count > 0
                    ? [.. figure.Rounds]
                    : figure.Value is { } value ? [value] : [];
                table.Add(figure, samples);
            }
        }

        return table;
    }

    /// <summary>The figures that both sides have, in the order of this one.</summary>
    public IEnumerable<(SampledFigure First, SampledFigure Second)> Common(FigureTable other)
    {
        foreach ((var key, SampledFigure figure) in _figures)
        {
            if (other._figures.TryGetValue(key, out SampledFigure? same)) yield return (figure, same);
        }
    }

    public IEnumerable<string> RowsNotIn(FigureTable other) => _figures.Keys.Select(static key => key.Row)
        .Except(other._figures.Keys.Select(static key => key.Row), StringComparer.Ordinal);

    private void Add(ComparedFigure figure, double[] samples)
    {
        // A report that a stranger wrote may hold what no run measures.
        samples = [.. samples.Where(double.IsFinite)];
        if (samples.Any(static one => one < 0)) figure = figure with { NoMeasure = ComparedFigure.Negative };

        (string, string) key = (figure.Row, figure.Name);
        _figures[key] = _figures.TryGetValue(key, out SampledFigure? known)
            ? known with
            {
                Samples = [.. known.Samples, .. samples],
                NoMeasure = known.NoMeasure ?? figure.NoMeasure,
            }
            : new SampledFigure(figure.Row, figure.Name, figure.IsHigherBetter, samples)
            {
                NoMeasure = figure.NoMeasure,
            };
    }
}
