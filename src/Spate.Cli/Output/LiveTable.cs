using System.Globalization;

namespace Spate.Cli.Output;

/// <summary>A table on a terminal that is drawn anew in its place.</summary>
internal sealed class LiveTable(TextWriter output) : IDisposable
{
    private int _lineCount;

    /// <summary>How many rows fit under a headline; what scrolled out at the top could not be taken away.</summary>
    public static int RowsMost => Math.Max(4, WindowHeight - 7);

    public void Show(string headline, Table table)
    {
        using var drawn = new StringWriter(CultureInfo.InvariantCulture);
        drawn.WriteLine(SafeText.Clean(headline));
        TerminalOutput.Write(table, drawn);
        string text = drawn.ToString();
        output.Write(Erasing(_lineCount) + text);
        _lineCount = text.AsSpan().Count('\n');
    }

    /// <summary>Takes the table away, so that what is printed next stands alone.</summary>
    public void Dispose()
    {
        if (_lineCount > 0)
        {
            output.Write(Erasing(_lineCount));
            _lineCount = 0;
        }
    }

    // Up to the first line of the table, and erase from there (ECMA-48: CPL, ED).
    private static string Erasing(int lineCount) => lineCount == 0
        ? ""
        : string.Create(CultureInfo.InvariantCulture, $"\u001b[{lineCount}F\u001b[J");

    private static int WindowHeight
    {
        get
        {
            const int Usual = 24;
            try
            {
                return Console.WindowHeight > 0 ? Console.WindowHeight : Usual;
            }
            catch (Exception fault) when (fault is IOException or PlatformNotSupportedException)
            {
                return Usual;
            }
        }
    }
}
