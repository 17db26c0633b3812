using System.Globalization;
using System.Text;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>Writes a time by a format of strftime(3), in its C locale.</summary>
internal static class TimeText
{
    private const int MaxLength = 512;

    public static string Write(string format, DateTimeOffset time)
    {
        var text = new StringBuilder();
        for (int i = 0; i < format.Length && text.Length < MaxLength; i++)
        {
            if (format[i] != '%' || i + 1 == format.Length) text.Append(format[i]);
            else text.Append(Part(format[++i], time));
        }

        return text.ToString();
    }

    private static string Part(char letter, DateTimeOffset time)
    {
        string? standard = letter switch
        {
            'a' => "ddd",
            'A' => "dddd",
            'b' or 'h' => "MMM",
            'B' => "MMMM",
            'd' => "dd",
            'D' or 'x' => "MM'/'dd'/'yy",
            'F' => "yyyy'-'MM'-'dd",
            'H' => "HH",
            'I' => "hh",
            'm' => "MM",
            'M' => "mm",
            'p' => "tt",
            'r' => "hh':'mm':'ss tt",
            'R' => "HH':'mm",
            'S' => "ss",
            'T' or 'X' => "HH':'mm':'ss",
            'y' => "yy",
            'Y' => "yyyy",
            _ => null,
        };
        CultureInfo culture = CultureInfo.InvariantCulture;
        if (standard is not null) return time.ToString(standard, culture);

        return letter switch
        {
            'c' => string.Create(culture, $"{time:ddd MMM} {time.Day,2} {time:HH':'mm':'ss yyyy}"),
            'e' => string.Create(culture, $"{time.Day,2}"),
            'j' => string.Create(culture, $"{time.DayOfYear:000}"),
            'k' => string.Create(culture, $"{time.Hour,2}"),
            's' => time.ToUnixTimeSeconds().ToString(culture),
            'u' => (time.DayOfWeek == DayOfWeek.Sunday ? 7 : (int)time.DayOfWeek).ToString(culture),
            'w' => ((int)time.DayOfWeek).ToString(culture),
            'z' => time.ToString("zzz", culture).Replace(":", "", StringComparison.Ordinal),
            'Z' => time.Offset == TimeSpan.Zero ? "GMT" : time.ToString("zzz", culture),
            'n' => " ",
            't' => "\t",
            '%' => "%",
            _ => $"%{letter}",
        };
    }
}
