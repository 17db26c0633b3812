namespace Spate.Cli.Terminal;

/// <summary>
/// A table as lines that fit a width. No cell is cut: columns that say nothing leave first, then headers break between
/// words, then columns move together, then columns leave by priority. Where not even the columns that must be shown fit
/// side by side, every cell gets a line <c>header: cell</c> of its own.
/// </summary>
/// <param name="HeaderLines">The lines above the rows; none where every cell has its own line.</param>
/// <param name="RowLines">The lines of the rows.</param>
/// <param name="LeftOut">The headers of the columns that are not shown.</param>
internal sealed record FittedTable(
    IReadOnlyList<string> HeaderLines, IReadOnlyList<string> RowLines, IReadOnlyList<string> LeftOut)
{
    private const int WideGap = 2;

    private static readonly (int GapWidth, bool BreaksHeaders)[] Spacings =
        [(WideGap, false), (WideGap, true), (1, true)];

    /// <summary>One line that names the columns that are not shown; null where all are.</summary>
    public string? LeftOutLine => LeftOut.Count == 0
        ? null
        : $"left out: {string.Join(", ", LeftOut)} (use a wider terminal or --json)";

    /// <summary>Fits cells to a width.</summary>
    /// <param name="columns">The columns, from left to right.</param>
    /// <param name="rows">The rows, each with one cell per column.</param>
    /// <param name="width">The most characters that a line may have; null for any number.</param>
    public static FittedTable Of(IReadOnlyList<Column> columns, IReadOnlyList<string[]> rows, int? width)
    {
        int maxWidth = width ?? int.MaxValue;
        var whole = new TableGrid(columns, rows, WideGap, breaksHeaders: false, maxWidth);
        return whole.Width <= maxWidth
            ? new FittedTable(whole.HeaderLines(), whole.RowLines(), [])
            : Shrink(columns, rows, maxWidth);
    }

    private static FittedTable Shrink(IReadOnlyList<Column> columns, IReadOnlyList<string[]> rows, int maxWidth)
    {
        var shown = Enumerable.Range(0, columns.Count).ToList();
        List<int> leaving = LeavingOrder(columns, rows);
        for (int leftOutCount = 0; leftOutCount <= leaving.Count; leftOutCount++)
        {
            if (leftOutCount > 0) shown.Remove(leaving[leftOutCount - 1]);

            Column[] shownColumns = [.. shown.Select(column => columns[column])];
            string[][] cells = [.. rows.Select(row => shown.Select(column => row[column]).ToArray())];
            bool isNextSilent = leftOutCount < leaving.Count && IsSilent(leaving[leftOutCount], columns, rows);
            foreach ((int gapWidth, bool breaksHeaders) in isNextSilent ? Spacings[..1] : Spacings)
            {
                var grid = new TableGrid(shownColumns, cells, gapWidth, breaksHeaders, maxWidth);
                if (grid.Width <= maxWidth)
                {
                    IEnumerable<int> leftOut = leaving.Take(leftOutCount).Order();
                    return new FittedTable(
                        grid.HeaderLines(), grid.RowLines(), [.. leftOut.Select(column => OneLine(columns[column]))]);
                }
            }
        }

        return new FittedTable([], [.. Blocks(columns, rows, maxWidth)], []);
    }

    /// <summary>
    /// The columns that may leave, the first to leave first: those that say nothing, then by priority, then from the
    /// right.
    /// </summary>
    private static List<int> LeavingOrder(IReadOnlyList<Column> columns, IReadOnlyList<string[]> rows) =>
    [
        .. Enumerable.Range(0, columns.Count)
            .Where(column => columns[column].Priority > 0)
            .OrderByDescending(column => IsSilent(column, columns, rows))
            .ThenByDescending(column => columns[column].Priority)
            .ThenByDescending(static column => column),
    ];

    // A column that stands still says something in another row.
    private static bool IsSilent(int column, IReadOnlyList<Column> columns, IReadOnlyList<string[]> rows) =>
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
