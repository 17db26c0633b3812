namespace Spate.Cli.Shell.Terminal;

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
