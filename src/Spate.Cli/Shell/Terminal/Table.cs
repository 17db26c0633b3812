using System.Text;
using Spate.Measurement.Reports;

namespace Spate.Cli.Shell.Terminal;

/// <summary>The declaration of a table: its columns, from left to right.</summary>
internal sealed class Table<TRow>(params IReadOnlyList<Column<TRow>> columns)
{
    public IReadOnlyList<Column<TRow>> Columns { get; } = columns;

    public FittedTable Fit(IEnumerable<TRow> rows, int? width) =>
        FittedTable.Of(Columns, [.. rows.Select(CellsOf)], width);

    // Cells may hold names from the system or the network. No other place needs to clean them.
    private string[] CellsOf(TRow row) =>
        [.. Columns.Select(column => PrintableText.ForTerminal(column.Cell(row), PrintableText.MaxPageLength))];
}

/// <summary>The alignment of the cells of a column.</summary>
internal enum Align
{
    Left,

    /// <summary>On the right, for numbers.</summary>
    Right,

    /// <summary>On the left. On a narrow terminal, a long cell continues on further lines.</summary>
    Wrapped,
}

/// <summary>A column of a table, without the rows.</summary>
/// <param name="Header">Its line breaks are kept. On a narrow terminal, its spaces become line breaks.</param>
/// <param name="Priority">0 if always shown. Of the others, the one with the largest is left out first.</param>
/// <param name="MinWidth">In characters. Tables written row by row need one, so that columns do not move.</param>
/// <param name="HidesIfEmpty">Whether it is left out if no row has a value: for figures of one system.</param>
internal record Column(string Header, Align Align, int Priority, int MinWidth = 0, bool HidesIfEmpty = false);

/// <summary>A column and its cells: <c>Cell</c> returns "-" or "" where a row has no value.</summary>
internal sealed record Column<TRow>(
    string Header,
    Align Align,
    int Priority,
    Func<TRow, string> Cell,
    int MinWidth = 0,
    bool HidesIfEmpty = false)
    : Column(Header, Align, Priority, MinWidth, HidesIfEmpty);

/// <summary>Writes a table row by row. Columns need a <see cref="Column.MinWidth"/>, so they do not move.</summary>
internal sealed class RowByRow<TRow>(Table<TRow> table, TerminalWriter writer)
{
    // The columns left out of the headers above. A terminal that changes its width may need other headers.
    private string? _leftOut;
    private bool _hasHeader;

    public void Add(TRow row)
    {
        FittedTable fitted = table.Fit([row], writer.Width);
        bool isBlock = fitted.HeaderLines.Count == 0;
        if (!isBlock && (!_hasHeader || !string.Equals(fitted.LeftOutLine, _leftOut, StringComparison.Ordinal)))
        {
            writer.LeftOut(fitted);
            writer.Headers(fitted);
        }

        (_hasHeader, _leftOut) = (!isBlock, fitted.LeftOutLine);
        writer.Rows(fitted);
    }
}

/// <summary>
/// A table as lines that fit a width. No cell is cut. A table that is too wide first loses the columns without a value
/// in any row; then headers break between words, columns move together, and columns are left out by priority. Where
/// the columns of priority 0 alone do not fit side by side, every cell gets a line <c>header: cell</c> of its own.
/// </summary>
/// <param name="HeaderLines">The lines above the rows; none where every cell has its own line.</param>
internal sealed record FittedTable(
    IReadOnlyList<string> HeaderLines, IReadOnlyList<string> RowLines, IReadOnlyList<string> LeftOut)
{
    private const int WideGap = 2;

    private static readonly (int GapWidth, bool BreaksHeaders)[] Spacings =
        [(WideGap, false), (WideGap, true), (1, true)];

    public string? LeftOutLine => LeftOut.Count == 0
        ? null
        : $"left out: {string.Join(", ", LeftOut)} (use a wider terminal or --json)";

    /// <summary>Fits cells to a width. Columns that hide if they are empty are left out first.</summary>
    public static FittedTable Of(IReadOnlyList<Column> columns, IReadOnlyList<string[]> rows, int? width)
    {
        int maxWidth = width ?? int.MaxValue;
        int[] shown = [.. Enumerable.Range(0, columns.Count).Where(column =>
            !columns[column].HidesIfEmpty || !IsEmpty(column, columns, rows))];
        if (shown.Length < columns.Count)
        {
            columns = [.. shown.Select(column => columns[column])];
            rows = [.. rows.Select(row => shown.Select(column => row[column]).ToArray())];
        }

        var whole = new TableGrid(columns, rows, WideGap, breaksHeaders: false, maxWidth);
        return whole.Width <= maxWidth
            ? new FittedTable(whole.HeaderLines(), whole.RowLines(), [])
            : Shrink(columns, rows, maxWidth);
    }

    private static FittedTable Shrink(IReadOnlyList<Column> columns, IReadOnlyList<string[]> rows, int maxWidth)
    {
        var shown = Enumerable.Range(0, columns.Count).ToList();
        List<int> order = LeftOutOrder(columns, rows);
        for (int leftOutCount = 0; leftOutCount <= order.Count; leftOutCount++)
        {
            if (leftOutCount > 0) shown.Remove(order[leftOutCount - 1]);

            Column[] shownColumns = [.. shown.Select(column => columns[column])];
            string[][] cells = [.. rows.Select(row => shown.Select(column => row[column]).ToArray())];
            bool isNextEmpty = leftOutCount < order.Count && IsEmpty(order[leftOutCount], columns, rows);
            foreach ((int gapWidth, bool breaksHeaders) in isNextEmpty ? Spacings[..1] : Spacings)
            {
                var grid = new TableGrid(shownColumns, cells, gapWidth, breaksHeaders, maxWidth);
                if (grid.Width <= maxWidth)
                {
                    IEnumerable<int> leftOut = order.Take(leftOutCount)
                        .Where(column => !IsEmpty(column, columns, rows))
                        .Order();
                    return new FittedTable(
                        grid.HeaderLines(), grid.RowLines(), [.. leftOut.Select(column => OneLine(columns[column]))]);
                }
            }
        }

        return new FittedTable([], [.. Blocks(columns, rows, maxWidth)], []);
    }

    /// <summary>The columns in the order of leaving out: without a value, by priority, from the right.</summary>
    private static List<int> LeftOutOrder(IReadOnlyList<Column> columns, IReadOnlyList<string[]> rows) =>
    [
        .. Enumerable.Range(0, columns.Count)
            .Where(column => columns[column].Priority > 0)
            .OrderByDescending(column => IsEmpty(column, columns, rows))
            .ThenByDescending(column => columns[column].Priority)
            .ThenByDescending(static column => column),
    ];

    // Rows that are written one by one are fitted one by one: a column with MinWidth may have a value in another row.
    private static bool IsEmpty(int column, IReadOnlyList<Column> columns, IReadOnlyList<string[]> rows) =>
        columns[column].MinWidth == 0 && rows.All(row => row[column] is "" or "-");

    private static IEnumerable<string> Blocks(
        IReadOnlyList<Column> columns, IReadOnlyList<string[]> rows, int maxWidth)
    {
        for (int row = 0; row < rows.Count; row++)
        {
            if (row > 0) yield return "";

            for (int column = 0; column < columns.Count; column++)
            {
                string header = OneLine(columns[column]);
                string line = header.Length == 0 ? rows[row][column] : $"{header}: {rows[row][column]}";
                foreach (string part in TextLines.Wrap(line, maxWidth))
                {
                    yield return part;
                }
            }
        }
    }

    private static string OneLine(Column column) =>
        column.Header.Replace("\n/", "/", StringComparison.Ordinal).Replace('\n', ' ');
}

/// <summary>The layout of columns side by side: their total width, and their lines.</summary>
internal sealed class TableGrid
{
    /// <summary>A wrapped column with long cells keeps at least this width: shorter lines are hard to read.</summary>
    private const int MinWrappedWidth = 16;

    private readonly IReadOnlyList<Column> _columns;
    private readonly IReadOnlyList<string[]> _rows;
    private readonly int _gapWidth;
    private readonly string[][] _headers;
    private readonly int[] _widths;

    /// <param name="maxWidth">The total width to which wrapped columns shrink, as far as their words allow.</param>
    public TableGrid(
        IReadOnlyList<Column> columns, IReadOnlyList<string[]> rows, int gapWidth, bool breaksHeaders, int maxWidth)
    {
        _columns = columns;
        _rows = rows;
        _gapWidth = gapWidth;
        _headers = new string[columns.Count][];
        _widths = new int[columns.Count];
        for (int i = 0; i < columns.Count; i++)
        {
            int cellWidth = columns[i].MinWidth;
            foreach (string[] row in rows)
            {
                cellWidth = Math.Max(cellWidth, row[i].Length);
            }

            int headerWidth = breaksHeaders ? Math.Max(cellWidth, LongestWord(columns[i].Header)) : int.MaxValue;
            _headers[i] =
                [.. columns[i].Header.Split('\n').SelectMany(line => TextLines.Wrap(line, headerWidth))];
            _widths[i] = Math.Max(cellWidth, Longest(_headers[i]));
        }

        ShrinkWrapped(maxWidth);
    }

    public int Width => _widths.Sum() + (_gapWidth * (_widths.Length - 1));

    public string[] HeaderLines()
    {
        string[] lines = [.. Lines(_headers)];
        return lines is [""] ? [] : lines;
    }

    public string[] RowLines() => [.. _rows.SelectMany(row => Lines(
        [.. row.Select((cell, i) => _columns[i].Align == Align.Wrapped
            ? TextLines.Wrap(cell, _widths[i]).ToArray()
            : [cell])]))];

    private static int LongestWord(string text) => Longest(text.Split(' ', '\n'));

    private static int Longest(string[] texts)
    {
        int longest = 0;
        foreach (string text in texts)
        {
            longest = Math.Max(longest, text.Length);
        }

        return longest;
    }

    private void ShrinkWrapped(int maxWidth)
    {
        for (int i = 0; i < _widths.Length; i++)
        {
            int excess = Width - maxWidth;
            if (_columns[i].Align == Align.Wrapped && excess > 0)
            {
                int smallest = Math.Min(_widths[i], MinWrappedWidth);
                smallest = Math.Max(smallest, Longest(_headers[i]));
                smallest = _rows.Select(row => LongestWord(row[i])).Append(smallest).Max();
                _widths[i] = Math.Max(smallest, _widths[i] - excess);
            }
        }
    }

    private IEnumerable<string> Lines(string[][] cells)
    {
        int lineCount = cells.Max(static cell => cell.Length);
        for (int line = 0; line < lineCount; line++)
        {
            var text = new StringBuilder();
            for (int i = 0; i < cells.Length; i++)
            {
                string part = line < cells[i].Length ? cells[i][line] : "";
                text.Append(' ', i == 0 ? 0 : _gapWidth)
                    .Append(_columns[i].Align == Align.Right ? part.PadLeft(_widths[i]) : part.PadRight(_widths[i]));
            }

            yield return text.ToString().TrimEnd();
        }
    }
}
