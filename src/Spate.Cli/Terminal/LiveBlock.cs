using System.Globalization;

namespace Spate.Cli.Terminal;

/// <summary>Lines on a terminal that are redrawn in place.</summary>
/// <param name="page">The terminal; it must be one on which text can be replaced.</param>
internal sealed class LiveBlock(Page page) : IDisposable
{
    private int _lineCount;

    /// <summary>Replaces the lines that were shown before.</summary>
    /// <param name="text">Whole lines, each within the page's width: a line that the terminal wraps is two.</param>
    public void Show(string text)
    {
        page.Raw(Erasing(_lineCount) + text);
        _lineCount = text.AsSpan().Count('\n');
    }

    /// <summary>Takes the lines away, so that what is printed next stands alone.</summary>
    public void Dispose()
    {
        if (_lineCount > 0) Show("");
    }

    // Up to the first of the lines, and erase from there (ECMA-48: CPL, ED).
    private static string Erasing(int lineCount) => lineCount == 0
        ? ""
        : string.Create(CultureInfo.InvariantCulture, $"\u001b[{lineCount}F\u001b[J");
}
