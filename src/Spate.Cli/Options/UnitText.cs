using System.CommandLine;
using System.Globalization;

namespace Spate.Cli.Options;

/// <summary>
/// Whole numbers that may end in k, m or g, which stand for the first, second and third power of a thousand. A thousand
/// is 1000 in numbers of things and 1024 in sizes in bytes.
/// </summary>
internal static class UnitText
{
    public const long CountThousand = 1000;
    public const long SizeThousand = 1024;

    /// <summary>A number of things within bounds; null when the option was not given.</summary>
    public static long? ReadCount(ParseResult parsed, Option<string?> option, long min, long max) =>
        Read(parsed, option, CountThousand, min, max, () => $"a number from {min} to {max}"
            + OptionText.Examples(" such as", min, max, ("5000", 5000), ("10k", 10_000)));

    /// <summary>A size in bytes within bounds; null when the option was not given.</summary>
    public static long? ReadBytes(ParseResult parsed, Option<string?> option, long min, long max) =>
        Read(parsed, option, SizeThousand, min, max, () => $"from {min} to {max} bytes"
            + OptionText.Examples(", such as", min, max, ("1380", 1380), ("64k", 64 << 10), ("4M", 4 << 20)));

    /// <summary>Removes the letter from the end of a number.</summary>
    /// <param name="text">The number as it was written.</param>
    /// <param name="thousand">The value of k: 1000 or 1024.</param>
    /// <param name="unit">The value of the letter; 1 without a letter.</param>
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

    /// <summary>Parses a whole number that is not negative.</summary>
    /// <param name="text">The number as it was written.</param>
    /// <param name="thousand">The value of k: 1000 or 1024.</param>
    /// <param name="value">The number; 0 where the text is no such number, or the number is too large.</param>
    public static bool TryParse(string text, long thousand, out long value)
    {
        ReadOnlySpan<char> digits = Split(text, thousand, out long unit);
        bool isNumber = long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            && number <= long.MaxValue / unit;
        value = isNumber ? number * unit : 0;
        return isNumber;
    }

    private static long? Read(
        ParseResult parsed, Option<string?> option, long thousand, long min, long max, Func<string> describe)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        return TryParse(text, thousand, out long value) && value >= min && value <= max
            ? value
            : throw OptionText.Wrong(option, text, describe());
    }
}
