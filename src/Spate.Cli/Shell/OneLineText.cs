using System.Text;

namespace Spate.Cli.Shell;

/// <summary>Makes text of other programs and of the system fit for one line of a report.</summary>
internal static class OneLineText
{
    private const int MaxLineChars = 300;

    /// <summary>The text as one line without control characters, cut off after 300 characters.</summary>
    public static string OneLine(string text)
    {
        var line = new StringBuilder();
        foreach (char c in text.AsSpan().Trim())
        {
            if (line.Length >= MaxLineChars) return line.Append("...").ToString();
            _ = line.Append(char.IsControl(c) ? ' ' : c);
        }
        return line.ToString();
    }
}
