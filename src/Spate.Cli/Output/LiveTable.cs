using System.Globalization;

namespace Spate.Cli.Output;

/// <summary>
/// A table on a terminal that is drawn anew in its place. It has no lines and leaves out columns where the terminal is
/// narrow: a line that the terminal wraps would break the figures, and the place where it is drawn.
/// </summary>
internal sealed class LiveTable(Streams streams) : IDisposable
{
    private int _lineCount;

    /// <summary>
    /// How many rows, a footer with them, fit under a headline; what scrolled out at the top could not be taken away.
    /// </summary>
    public int RowsMost => Math.Max(4, streams.ReadTerminalSize().Rows - 7);

    /// <param name="headline">What stands above, in as many lines as it takes.</param>
    /// <param name="table">The table.</param>
    /// <param name="leastWanted">Columns that may be left out, in that order.</param>
    /// <param name="footer">What stands below, in one line that is cut where it is too long; empty for nothing.</param>
    public void Show(string headline, Table table, IReadOnlyList<int> leastWanted, string footer)
    {
        // The last column stays free: some terminals wrap there at once.
        int width = streams.ReadTerminalSize().Columns - 1;
        Table fitting = TableFit.LeaveOut(table, width, leastWanted);
        int missing = table.Columns.Count - fitting.Columns.Count;
        string hint = missing > 0 ? $"; {missing} column(s) left out: narrow window" : "";
        using var drawn = new StringWriter(CultureInfo.InvariantCulture);
        foreach (string line in TableFit.Wrap(SafeText.Clean(headline + hint, maximumLength: 500), width))
        {
            drawn.WriteLine(line);
        }

        int gapWidth = TableFit.WidthOf(fitting, TableOutput.GapWidth) <= width ? TableOutput.GapWidth : 1;
        TableOutput.WritePlain(fitting, drawn, gapWidth: gapWidth, boldHeader: true);
        if (footer.Length > 0)
        {
            drawn.WriteLine(footer.AsSpan(0, Math.Min(footer.Length, width)));
        }

        string text = drawn.ToString();
        streams.Output.Write(Erasing(_lineCount) + text);
        _lineCount = text.AsSpan().Count('\n');
    }

    /// <summary>Takes the table away, so that what is printed next stands alone.</summary>
    public void Dispose()
    {
        if (_lineCount > 0)
        {
            streams.Output.Write(Erasing(_lineCount));
            _lineCount = 0;
        }
    }

    // Up to the first line of the table, and erase from there (ECMA-48: CPL, ED).
    private static string Erasing(int lineCount) => lineCount == 0
        ? ""
        : string.Create(CultureInfo.InvariantCulture, $"\u001b[{lineCount}F\u001b[J");
}
