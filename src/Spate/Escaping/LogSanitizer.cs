using System.Text;

namespace Spate.Escaping;

/// <summary>Makes untrusted text safe for one line of a message or an event.</summary>
internal static class LogSanitizer
{
    /// <summary>
    /// Appends at most maxChars characters of the text, and "..." if the text is longer. Backslashes, the character
    /// <paramref name="quote"/> and all characters except printable ASCII are written as <c>\uXXXX</c>.
    /// </summary>
    public static StringBuilder AppendForeign(
        this StringBuilder to, ReadOnlySpan<char> text, int maxChars, char quote = '\0')
    {
        foreach (char character in text[..Math.Min(text.Length, maxChars)])
        {
            if (character is >= ' ' and <= '~' and not '\\' && character != quote) to.Append(character);
            else to.Append($"\\u{(int)character:X4}");
        }

        return text.Length > maxChars ? to.Append("...") : to;
    }

    /// <inheritdoc cref="AppendForeign"/>
    public static string Clean(string text, int maxChars) =>
        new StringBuilder().AppendForeign(text, maxChars).ToString();
}
