using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Serialization;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Rounds;

/// <summary>
/// The figures of a bench's rows, each declared once: its heading, how it is shown, when a narrow table leaves it out,
/// whether more of it is better or less, and its property, whose name is that of the JSON. The table of the text and
/// the figures of <c>spate compare</c> are made from it. The values are those of a row, not of its rounds: the row may
/// come from a file, which has no rounds. Only the method that makes the row of a run reads the rounds.
/// </summary>
/// <param name="nameOf">The name of a row in a comparison.</param>
internal sealed class Metrics<TRow>(Func<TRow, string> nameOf)
    where TRow : RoundsRow
{
    private readonly List<Column<TRow>> _columns = [];
    private readonly List<Func<TRow, ComparedFigure>> _figures = [];

    /// <summary>The figure that a comparison judges by its rounds.</summary>
    public RowFigure Main { get; private set; } = new("", IsHigherBetter: false);

    public Table<TRow> Table => new(_columns);

    public IEnumerable<ComparedFigure> FiguresOf(TRow row) => _figures.Select(figure => figure(row) with
    {
        Row = nameOf(row),
    });

    /// <summary>The table with one more column, which needs more than a row: the whole report.</summary>
    public Table<TRow> TableWith(int index, Column<TRow> column) =>
        new([.. _columns.Take(index), column, .. _columns.Skip(index)]);

    /// <summary>A name, or a text that is computed. No comparison has it.</summary>
    public Metrics<TRow> Text(
        string heading, Func<TRow, string> cell, Align align = Align.Left, int priority = 0, bool hidesIfEmpty = false)
    {
        _columns.Add(new Column<TRow>(heading, align, priority, cell, HidesIfEmpty: hidesIfEmpty));
        return this;
    }

    /// <summary>A figure that is neither better nor worse if there is more of it.</summary>
    public Metrics<TRow> Plain(string heading, string format, int priority, Func<TRow, double?> value) =>
        Text(heading, row => Show(value(row), format), Align.Right, priority);

    /// <summary>The difference between the rounds in per cent. A single round has none.</summary>
    public Metrics<TRow> Spread(int priority, Func<TRow, double?> percent) =>
        Plain("spread %", "0", priority, row => row.Samples.Length > 1 ? percent(row) : null);

    /// <summary>A figure of which less is better.</summary>
    /// <param name="isMain">Whether <see cref="RoundsRow.Samples"/> are its values in the rounds.</param>
    /// <param name="noMeasure">The reason that a row's figure cannot be compared; null if it can.</param>
    /// <param name="property">The compiler writes it.</param>
    public Metrics<TRow> Cost(
        string heading,
        string format,
        int priority,
        Func<TRow, double?> value,
        bool isMain = false,
        Func<TRow, string?>? noMeasure = null,
        [CallerArgumentExpression(nameof(value))] string property = "")
    {
        string name = NameOf(property);
        if (isMain) Main = new RowFigure(name, IsHigherBetter: false);
        Add(isMain, row => noMeasure?.Invoke(row) is { } reason
            ? ComparedFigure.Cost("", name, value: null) with { NoMeasure = reason }
            : ComparedFigure.Cost("", name, value(row), isMain ? row.Samples : []));
        return Plain(heading, format, priority, value);
    }

    /// <summary>A figure of which more is better.</summary>
    /// <param name="isMain">Whether <see cref="RoundsRow.Samples"/> are its values in the rounds.</param>
    /// <param name="property">The compiler writes it.</param>
    public Metrics<TRow> Gain(
        string heading,
        string format,
        int priority,
        Func<TRow, double?> value,
        bool isMain = false,
        [CallerArgumentExpression(nameof(value))] string property = "")
    {
        string name = NameOf(property);
        if (isMain) Main = new RowFigure(name, IsHigherBetter: true);
        Add(isMain, row => ComparedFigure.Gain("", name, value(row), isMain ? row.Samples : []));
        return Plain(heading, format, priority, value);
    }

    // A comparison begins with the main figure.
    private void Add(bool isMain, Func<TRow, ComparedFigure> figure) =>
        _figures.Insert(isMain ? 0 : _figures.Count, figure);

    // Of "static row => row.LostPercent" the name in the JSON, lostPercent.
    private static string NameOf(string property) =>
        JsonNamingPolicy.CamelCase.ConvertName(property[(property.LastIndexOf('.') + 1)..]);

    private static string Show(double? value, string format) =>
        format is MetricFormat.PerSecond ? Units.PerSecond(value) : Units.Number(value, format);
}

/// <summary>The figure of a bench that has a value for each round, by its name in the JSON.</summary>
internal readonly record struct RowFigure(string Name, bool IsHigherBetter);

/// <summary>Formats of figures in a bench's table, in addition to those of numbers.</summary>
internal static class MetricFormat
{
    /// <summary>A rate, which has decimals only if it is small.</summary>
    public const string PerSecond = "/s";

    public const string Count = "#,0";
}

/// <summary>A row of a bench: medians over the rounds, and the main figure of each round.</summary>
internal abstract record RoundsRow
{
    /// <summary>The main figure of each round, in the order of the rounds; empty if not known.</summary>
    [JsonPropertyOrder(1)]
    public double[] Samples { get; set; } = [];
}

/// <summary>The names of rows in comparisons.</summary>
internal static class RowText
{
    public static string At(string name, int sizeBytes) => $"{name}, {Count(sizeBytes, "byte")}";

    public static string Count(int count, string noun) =>
        string.Create(CultureInfo.InvariantCulture, $"{count} {noun}{(count == 1 ? "" : "s")}");
}

/// <summary>How the figures of a row are read from those of its rounds.</summary>
internal static class RoundFigures
{
    public static double Median<TRound>(this IReadOnlyList<TRound> rounds, Func<TRound, double> figure) =>
        Statistics.Median([.. rounds.Select(figure)]);

    public static double? MedianOfKnown<TRound>(this IReadOnlyList<TRound> rounds, Func<TRound, double?> figure) =>
        Statistics.MedianOfKnown(rounds.Select(figure));
}
