using System.Globalization;
using System.Text;

namespace Spate.Measurement.Reports;

/// <summary>Makes text from outside (files, arguments, names, other programs, the network) fit for one line.</summary>
internal static class PrintableText
{
    /// <summary>A sentence or cell is cut here, so that a hostile name does not fill the terminal.</summary>
    public const int MaxPageLength = 2000;

    private const int MaxLineLength = 300;

    private static readonly char[] LineBreaks = ['\r', '\n'];

    /// <summary>Cut short. Other than printable ASCII, quotes and backslashes are written as <c>\uXXXX</c>.</summary>
    public static string Quote(string text, int maxLength) => $"\"{Clean(text, maxLength, quote: '"')}\"";

    /// <summary>Cut short, by the result's length. All but printable ASCII is <c>\uXXXX</c>.</summary>
    public static string Clean(string text, int maxLength, char quote = '\0')
    {
        var clean = new StringBuilder();
        foreach (char c in text)
        {
            if (clean.Length >= maxLength) return clean.Append("...").ToString();

            bool isPlain = c is >= ' ' and <= '~' && (quote == '\0' || (c != quote && c != '\\'));
            if (isPlain) clean.Append(c);
            else clean.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}");
        }

        return clean.ToString();
    }

    /// <summary>Cut short. Control characters, separators and overrides are <c>\uXXXX</c>.</summary>
    public static string ForTerminal(string text, int maxLength = 200)
    {
        if (text.Length <= maxLength && !text.AsSpan().ContainsAnyExceptInRange(' ', '~')) return text;

        var clean = new StringBuilder(Math.Min(text.Length, maxLength));
        foreach (Rune rune in text.EnumerateRunes())
        {
            if (clean.Length >= maxLength) return clean.Append("...").ToString();

            clean.Append(IsPrintable(rune) ? rune.ToString() : Escape(rune));
        }

        return clean.ToString();
    }

    /// <summary>The lines of a message of the system or the runtime as one.</summary>
    public static string JoinLines(string text) => string.Join(
        ' ', text.Split(LineBreaks, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));

    /// <summary>A space for each control character, cut short after 300 characters.</summary>
    public static string OneLine(string text)
    {
        var line = new StringBuilder();
        foreach (char c in text.AsSpan().Trim())
        {
            if (line.Length >= MaxLineLength) return line.Append("...").ToString();

            line.Append(char.IsControl(c) ? ' ' : c);
        }

        return line.ToString();
    }

    public static string Escape(Rune rune) => string.Create(CultureInfo.InvariantCulture, $"\\u{rune.Value:x4}");

    private static bool IsPrintable(Rune rune) => Rune.GetUnicodeCategory(rune) is not (
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse
        or UnicodeCategory.OtherNotAssigned or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator);
}
