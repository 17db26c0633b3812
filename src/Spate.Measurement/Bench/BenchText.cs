using System.Text;

namespace Spate.Measurement.Bench;

/// <summary>Text from elsewhere (other programs, the system) made fit for one line of a report.</summary>
internal static class BenchText
{
    private const int LongestLine = 300;

    /// <summary>One bounded line without control characters.</summary>
    public static string OneLine(string text)
    {
        var line = new StringBuilder();
        foreach (char c in text.AsSpan().Trim())
        {
            if (line.Length >= LongestLine) return line.Append("...").ToString();
            _ = line.Append(char.IsControl(c) ? ' ' : c);
        }
        return line.ToString();
    }
}
