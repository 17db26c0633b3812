using System.Text;

namespace Spate.Cli.Shell.Terminal;

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
