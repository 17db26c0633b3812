namespace Spate.Cli.Output;

/// <summary>Makes tables fit a width and cuts no figure: leaves columns out, or makes several parts.</summary>
internal static class TableFit
{
    private const int BorderWidth = 3;

    /// <summary>Width of a table in plain columns.</summary>
    public static int WidthOf(Table table, int gapWidth) =>
        WidthsOf(table).Sum() + (gapWidth * (table.Columns.Count - 1));

    /// <summary>Width of a table with lines: a line and a space on each side of every cell.</summary>
    public static int LinedWidthOf(Table table) => WidthsOf(table).Sum() + (BorderWidth * table.Columns.Count) + 1;

    /// <summary>Width of every column.</summary>
    public static int[] WidthsOf(Table table)
    {
        int[] widths = new int[table.Columns.Count];
        for (int i = 0; i < widths.Length; i++)
        {
            int header = table.Columns[i].HeaderLines.Max(static line => line.Length);
            widths[i] = table.Rows.Select(row => row[i].Length).Append(header).Max();
        }

        return widths;
    }

    /// <summary>
    /// The table with as many columns as fit: those that say nothing go first, then the least wanted. What may not go
    /// stays, however narrow it is.
    /// </summary>
    public static Table LeaveOut(Table table, int width, IReadOnlyList<int> leastWanted)
    {
        List<int> kept = [.. Enumerable.Range(0, table.Columns.Count)];
        int[] order = [.. leastWanted.OrderBy(column => Speaks(table, column) ? 1 : 0)];
        foreach (int column in order)
        {
            if (WidthOf(table.Select(kept), gapWidth: 1) <= width)
            {
                break;
            }

            kept.Remove(column);
        }

        return table.Select(kept);
    }

    /// <summary>The table without columns of which no row says anything; the first stays.</summary>
    public static Table WithoutSilent(Table table) => table.Select(
        [0, .. Enumerable.Range(1, table.Columns.Count - 1).Where(column => Speaks(table, column))]);

    /// <summary>The table in parts that fit, each with the first column. Nothing is left out.</summary>
    public static IEnumerable<Table> Split(Table table, int width)
    {
        int[] widths = WidthsOf(table);
        List<int> part = [0];
        int partWidth = widths[0];
        for (int column = 1; column < widths.Length; column++)
        {
            int added = TableOutput.GapWidth + widths[column];
            if (partWidth + added > width && part.Count > 1)
            {
                yield return table.Select(part);
                part = [0];
                partWidth = widths[0];
            }

            part.Add(column);
            partWidth += added;
        }

        yield return table.Select(part);
    }

    /// <summary>A text in lines that break between words.</summary>
    public static IEnumerable<string> Wrap(string text, int width)
    {
        string line = "";
        foreach (string word in text.Split(' '))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > width)
            {
                yield return line;
                line = word;
            }
            else
            {
                line = line.Length == 0 ? word : line + " " + word;
            }
        }

        yield return line;
    }

    private static bool Speaks(Table table, int column) => table.Rows.Any(row => row[column] is not ("" or "-"));
}
