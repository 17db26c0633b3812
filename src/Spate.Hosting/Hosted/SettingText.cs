using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Spate.Serving;

namespace Spate.Hosting.Hosted;

/// <summary>Reads the values of a configuration: numbers, sizes, times and names.</summary>
internal static class SettingText
{
    public static bool TryReadNumber(string text, int min, int max, out int value) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value >= min && value <= max;

    /// <summary>Reads <c>4M</c>: whole numbers with the units K, M and G of 1024, or none.</summary>
    public static bool TryReadSize(string text, int maxBytes, out int bytes)
    {
        bytes = 0;
        int shift = text.Length == 0 ? 0 : char.ToUpperInvariant(text[^1]) switch
        {
            'K' => 10,
            'M' => 20,
            'G' => 30,
            _ => 0,
        };
        ReadOnlySpan<char> digits = shift > 0 ? text.AsSpan(0, text.Length - 1) : text;
        if (!int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int count)) return false;
        long product = (long)count << shift;
        if (product < 1 || product > maxBytes) return false;
        bytes = (int)product;
        return true;
    }

    /// <summary>Reads <c>50ms</c>, <c>1.5s</c>, or the form of TimeSpan with colons.</summary>
    public static bool TryReadTime(string text, out TimeSpan time)
    {
        time = default;
        if (text.Contains(':', StringComparison.Ordinal))
        {
            return TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out time);
        }

        int unitChars = text.EndsWith("ms", StringComparison.OrdinalIgnoreCase) ? 2
            : text.EndsWith("s", StringComparison.OrdinalIgnoreCase) ? 1
            : 0;
        if (unitChars == 0) return false;
        const NumberStyles style = NumberStyles.AllowDecimalPoint;
        ReadOnlySpan<char> digits = text.AsSpan(0, text.Length - unitChars);
        if (!double.TryParse(digits, style, CultureInfo.InvariantCulture, out double count)
            || !double.IsFinite(count)
            || count < 0
            || count > TimeSpan.MaxValue.TotalSeconds / 2)
        {
            return false;
        }

        time = unitChars == 2 ? TimeSpan.FromMilliseconds(count) : TimeSpan.FromSeconds(count);
        return true;
    }

    /// <summary>Reads the name of a design in any case, with or without hyphens.</summary>
    public static bool TryReadDesign(string text, [NotNullWhen(true)] out UdpServerDesign? design)
    {
        string name = Plain(text);
        design = UdpServerDesign.All.Concat(UdpComparisonDesigns.All).FirstOrDefault(
            one => string.Equals(Plain(one.Name), name, StringComparison.Ordinal));
        return design is not null;

        static string Plain(string name) => name.Replace("-", "", StringComparison.Ordinal).ToUpperInvariant();
    }

    /// <summary>Reads a name of an enumeration in any case, with or without hyphens; never a number.</summary>
    public static bool TryReadChoice<T>(string text, out T value)
        where T : struct, Enum
    {
        string name = text.Replace("-", "", StringComparison.Ordinal);
        value = default;
        return name.Length > 0
            && char.IsAsciiLetter(name[0])
            && !name.Contains(',', StringComparison.Ordinal)
            && Enum.TryParse(name, ignoreCase: true, out value);
    }
}
