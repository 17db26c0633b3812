using System.Globalization;
using System.Text;

namespace Spate.Cli.Terminal;

/// <summary>Makes text from outside (arguments, names, the network) fit for one line of a terminal.</summary>
internal static class SafeText
{
    /// <summary>
    /// The most characters of a sentence or a cell: far above what this tool writes. It bounds what a hostile name can
    /// fill a terminal with.
    /// </summary>
    public const int MaxPageLength = 2000;

    private static readonly char[] LineBreaks = ['\r', '\n'];

    /// <summary>
    /// Writes control characters, line separators and direction overrides as <c>\uXXXX</c> and cuts the text.
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

    /// <summary>Joins what the system or the runtime wrote in several lines.</summary>
    public static string OneLine(string text) => string.Join(
        ' ', text.Split(LineBreaks, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));

    private static bool IsPrintable(Rune rune) => Rune.GetUnicodeCategory(rune) is not (
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse
        or UnicodeCategory.OtherNotAssigned or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator);
}
