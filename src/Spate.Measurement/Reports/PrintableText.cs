using System.Globalization;
using System.Text;

namespace Spate.Measurement.Reports;

/// <summary>Makes text from outside (files, arguments, the network) fit for one line of a message.</summary>
internal static class PrintableText
{
    /// <summary>
    /// The text in quotes, cut short. What is not printable ASCII, and each quote and backslash, is written as
    /// <c>\uXXXX</c>.
    /// </summary>
    public static string Quote(string text, int maxLength) => $"\"{Clean(text, maxLength, quote: '"')}\"";

    /// <summary>
    /// The text, cut short after <paramref name="maxLength"/> characters of the result. What is not printable ASCII is
    /// written as <c>\uXXXX</c>.
    /// </summary>
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
}
