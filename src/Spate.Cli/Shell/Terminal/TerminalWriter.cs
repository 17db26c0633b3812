using System.Globalization;
using Spate.Measurement.Reports;

namespace Spate.Cli.Shell.Terminal;

/// <summary>
/// The output of text for people. On a terminal, sentences break between words, and tables and bars fit its width.
/// Elsewhere, lines have any length and there are no escape sequences.
/// </summary>
/// <param name="readSize">Returns the terminal's size, which may change at any time; null for no terminal.</param>
internal sealed class TerminalWriter(
    TextWriter output, Func<TerminalSize>? readSize = null, TerminalStyle style = TerminalStyle.Full)
{
    public static TerminalWriter None { get; } = new(TextWriter.Null);

    public bool CanRedraw => readSize is not null && style != TerminalStyle.Dumb;

    /// <summary>
    /// The number of characters that fit a line; null for any number. The last column of a terminal stays free, since
    /// some terminals wrap as soon as it is filled.
    /// </summary>
    public int? Width => readSize is null ? null : Math.Max(1, readSize().Columns - 1);

    /// <summary>The number of lines that can be replaced: lines that scrolled out of the terminal cannot.</summary>
    public int MaxRedrawnLines => readSize is null ? int.MaxValue : Math.Max(1, readSize().Rows - 1);

    private bool HasStyles => readSize is not null && style == TerminalStyle.Full;

    public void Line(string text = "")
    {
        foreach (string line in LinesOf(text)) output.WriteLine(line);
    }

    /// <summary>Writes a sentence in red, where the terminal has colours: something is being lost.</summary>
    public void Alert(string text)
    {
        foreach (string line in LinesOf(text))
        {
            // Select Graphic Rendition (ECMA-48): 31 is red.
            output.WriteLine(HasStyles ? $"\u001b[31m{line}\u001b[0m" : line);
        }
    }

    public void Table<TRow>(Table<TRow> table, IEnumerable<TRow> rows)
    {
        FittedTable fitted = table.Fit(rows, Width);
        Headers(fitted);
        Rows(fitted);
        LeftOut(fitted);
    }

    public void Headers(FittedTable fitted)
    {
        foreach (string line in fitted.HeaderLines)
        {
            // Select Graphic Rendition (ECMA-48): 1 is bold, 0 the default.
            output.WriteLine(HasStyles ? $"\u001b[1m{line}\u001b[0m" : line);
        }
    }

    public void Rows(FittedTable fitted)
    {
        foreach (string line in fitted.RowLines)
        {
            output.WriteLine(line);
        }
    }

    /// <summary>Names the columns that did not fit; writes nothing where all did.</summary>
    public void LeftOut(FittedTable fitted)
    {
        if (fitted.LeftOutLine is { } line) Line(line);
    }

    public void Bars(IReadOnlyList<Bar> bars)
    {
        foreach (string line in BarChart.Lines(bars, Width, isTerminal: readSize is not null, HasStyles))
        {
            output.WriteLine(line);
        }
    }

    /// <summary>Writes text as it is: lines from <see cref="Draw"/>, and movements of the cursor.</summary>
    public void Raw(string text) => output.Write(text);

    /// <summary>Returns what <paramref name="draw"/> writes to a page of the same size and style.</summary>
    public string Draw(Action<TerminalWriter> draw)
    {
        using var drawn = new StringWriter(CultureInfo.InvariantCulture);
        draw(new TerminalWriter(drawn, readSize, style));
        return drawn.ToString();
    }

    private IEnumerable<string> LinesOf(string text) =>
        TextLines.Wrap(PrintableText.ForTerminal(text, PrintableText.MaxPageLength), Width ?? int.MaxValue);
}

/// <summary>The escape sequences that a terminal may be sent.</summary>
internal enum TerminalStyle
{
    Full,

    /// <summary>Movements of the cursor only: the user has set <c>NO_COLOR</c> (no-color.org).</summary>
    NoColor,

    /// <summary>None: <c>TERM=dumb</c> says that the terminal knows no escape sequence.</summary>
    Dumb,
}
