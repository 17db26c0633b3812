using System.Globalization;

namespace Spate.Cli.Options;

/// <summary>Numbers that may end in k, m or g: the first, second and third power of a thousand.</summary>
internal static class UnitText
{
    /// <summary>Takes the letter off.</summary>
    /// <param name="text">The number as it was written.</param>
    /// <param name="thousand">What k stands for: 1000 or 1024.</param>
    /// <param name="unit">What the letter stands for; 1 without a letter.</param>
    /// <returns>The number without the letter.</returns>
    public static ReadOnlySpan<char> Split(ReadOnlySpan<char> text, long thousand, out long unit)
    {
        unit = text.IsEmpty ? 1 : text[^1] switch
        {
            'k' or 'K' => thousand,
            'm' or 'M' => thousand * thousand,
            'g' or 'G' => thousand * thousand * thousand,
            _ => 1,
        };
        return unit == 1 ? text : text[..^1];
    }

    /// <summary>Reads a whole number that is not negative.</summary>
    /// <param name="text">The number as it was written.</param>
    /// <param name="thousand">What k stands for: 1000 or 1024.</param>
    /// <param name="value">The number; 0 where the text is none, or too large.</param>
    public static bool TryParse(string text, long thousand, out long value)
    {
        ReadOnlySpan<char> digits = Split(text, thousand, out long unit);
        bool isNumber = long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            && number <= long.MaxValue / unit;
        value = isNumber ? number * unit : 0;
        return isNumber;
    }
}
