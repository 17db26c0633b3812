using System.Globalization;
using System.Text;

namespace Spate.Cli.Output;

/// <summary>Makes text from outside (arguments, names, the network) fit for one line of a terminal.</summary>
internal static class SafeText
{
    private static readonly char[] _lineBreaks = ['\r', '\n'];

    /// <summary>
    /// Writes control characters, line separators and direction overrides as <c>\uXXXX</c> and cuts the text.
    /// </summary>
    public static string Clean(string text, int maximumLength = 200)
    {
        if (text.Length <= maximumLength && !text.AsSpan().ContainsAnyExceptInRange(' ', '~'))
        {
            return text;
        }

        var clean = new StringBuilder(Math.Min(text.Length, maximumLength));
        foreach (Rune rune in text.EnumerateRunes())
        {
            if (clean.Length >= maximumLength)
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
        ' ', text.Split(_lineBreaks, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));

    private static bool IsPrintable(Rune rune) => Rune.GetUnicodeCategory(rune) is not (
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse
        or UnicodeCategory.OtherNotAssigned or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator);
}
