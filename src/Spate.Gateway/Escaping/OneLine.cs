using System.Text;

namespace Spate.Gateway.Escaping;

/// <summary>Makes text of strangers (arguments, brokers, certificates) fit for one line of a message.</summary>
internal static class OneLine
{
    private const int DefaultMaxChars = 200;

    /// <summary>
    /// Cuts the text short, writes what is not printable ASCII, and backslashes, as <c>\uXXXX</c>, and the quote that
    /// stands around such text as the other one.
    /// </summary>
    public static string Of(string text, int maxChars = DefaultMaxChars)
    {
        var clean = new StringBuilder(Math.Min(text.Length, maxChars));
        foreach (char character in text.AsSpan(0, Math.Min(text.Length, maxChars)).TrimEnd('.'))
        {
            if (character is >= ' ' and <= '~' and not '\\' and not '\'') clean.Append(character);
            else if (character is '\'') clean.Append('"');
            else clean.Append($"\\u{(int)character:x4}");
        }

        return text.Length > maxChars ? clean.Append("...").ToString() : clean.ToString();
    }

    /// <summary>As <see cref="Of"/>, with a space for each line end, of which messages of others have some.</summary>
    public static string OfLines(string text) => Of(text.ReplaceLineEndings(" "));
}
