using System.Globalization;

namespace Spate.Cli.Shell.Terminal;

/// <summary>Lines on a terminal that are redrawn in place.</summary>
/// <param name="writer">The terminal; <see cref="TerminalWriter.CanRedraw"/> must be true.</param>
internal sealed class LiveBlock(TerminalWriter writer) : IDisposable
{
    private int _lineCount;

    /// <param name="text">Whole lines within the page's width, so that the terminal wraps none.</param>
    public void Show(string text)
    {
        writer.Raw(Erasing(_lineCount) + text);
        _lineCount = text.AsSpan().Count('\n');
    }

    /// <summary>Erases the lines, so that the next output takes their place.</summary>
    public void Dispose()
    {
        if (_lineCount > 0) Show("");
    }

    // Moves up to the first of the lines and erases from there on (ECMA-48: CPL, ED).
    private static string Erasing(int lineCount) => lineCount == 0
        ? ""
        : string.Create(CultureInfo.InvariantCulture, $"\u001b[{lineCount}F\u001b[J");
}
