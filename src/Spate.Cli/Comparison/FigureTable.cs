using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Comparison;

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
