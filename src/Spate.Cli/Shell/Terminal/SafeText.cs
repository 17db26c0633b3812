using System.Globalization;
using System.Text;

namespace Spate.Cli.Shell.Terminal;

/// <summary>Makes text from outside (arguments, names, the network) safe to write on one line of a terminal.</summary>
internal static class SafeText
{
    /// <summary>
    /// The length in characters at which a sentence or a cell is cut. The tool's own text is far shorter. The bound
    /// keeps a hostile name from filling the terminal.
    /// </summary>
    public const int MaxPageLength = 2000;

    private static readonly char[] LineBreaks = ['\r', '\n'];

    /// <summary>
    /// Replaces control characters, line separators and direction overrides by <c>\uXXXX</c>, and cuts a long text.
    /// </summary>
    public static string Clean(string text, int maxLength = 200)
    {
        if (text.Length <= maxLength && !text.AsSpan().ContainsAnyExceptInRange(' ', '~')) return text;

        var clean = new StringBuilder(Math.Min(text.Length, maxLength));
        foreach (Rune rune in text.EnumerateRunes())
        {
            if (clean.Length >= maxLength)
            {
                clean.Append("...");
                break;
            }

            if (IsPrintable(rune))
            {
                clean.Append(rune.ToString());
            }
            else
            {
                clean.Append(CultureInfo.InvariantCulture, $"\\u{rune.Value:x4}");
            }
        }

        return clean.ToString();
    }

    /// <summary>Joins the lines of a message of the system or the runtime.</summary>
    public static string OneLine(string text) => string.Join(
        ' ', text.Split(LineBreaks, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));

    private static bool IsPrintable(Rune rune) => Rune.GetUnicodeCategory(rune) is not (
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse
        or UnicodeCategory.OtherNotAssigned or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator);
}
