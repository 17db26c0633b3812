using System.Globalization;
using System.Runtime.InteropServices;
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

/// <summary>The size of a terminal in characters.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct TerminalSize(int Columns, int Rows)
{
    private const int UsualColumns = 80;
    private const int UsualRows = 24;

    /// <summary>The size of the console; 80 x 24 where the system does not tell.</summary>
    public static TerminalSize Read()
    {
        try
        {
            int columns = Console.WindowWidth;
            int rows = Console.WindowHeight;
            return new TerminalSize(columns > 0 ? columns : UsualColumns, rows > 0 ? rows : UsualRows);
        }
        catch (Exception fault) when (fault is IOException or PlatformNotSupportedException)
        {
            return new TerminalSize(UsualColumns, UsualRows);
        }
    }
}

/// <summary>Breaks text into lines of a terminal.</summary>
internal static class TextLines
{
    /// <summary>
    /// Breaks a text between words. A word is broken only where it is longer than a line. Spaces at the breaks are
    /// dropped, and further lines are indented like the first.
    /// </summary>
    public static IEnumerable<string> Wrap(string text, int width)
    {
        if (text.Length <= width)
        {
            yield return text;
            yield break;
        }

        int indent = text.Length - text.AsSpan().TrimStart(' ').Length;
        indent = indent < width ? indent : 0;
        string rest = text;
        while (rest.Length > width)
        {
            // The space may follow the last character that fits.
            int space = rest.LastIndexOf(' ', width);
            int end = space > indent ? space : width;
            yield return rest[..end].TrimEnd(' ');
            rest = new string(' ', indent) + rest[end..].TrimStart(' ');
        }

        yield return rest;
    }
}
