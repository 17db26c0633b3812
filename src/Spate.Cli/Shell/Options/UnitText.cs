using System.CommandLine;
using System.Globalization;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Shell.Options;

/// <summary>Whole numbers that may end in k, m or g (<see cref="UnitSuffix"/>).</summary>
internal static class UnitText
{
    /// <param name="word">A word that the option takes too, named in the error; null for none.</param>
    public static long? ReadCount(
        ParseResult parsed, Option<string?> option, long min, long max, string? word = null) =>
        Read(parsed, option, UnitSuffix.CountThousand, min, max, () => $"a whole number from {min} to {max}"
            + OptionText.Examples(" such as", min, max, ("5000", 5000), ("10k", 10_000))
            + (word is null ? "" : $", or {word}"));

    public static long? ReadBytes(ParseResult parsed, Option<string?> option, long min, long max) =>
        Read(parsed, option, UnitSuffix.SizeThousand, min, max, () => $"from {min} to {max} bytes"
            + OptionText.Examples(", such as", min, max, ("1380", 1380), ("64k", 64 << 10), ("4M", 4 << 20)));

    /// <summary>Parses a whole number that is not negative.</summary>
    /// <param name="thousand">The value of k: 1000 or 1024.</param>
    public static bool TryParse(string text, long thousand, out long value)
    {
        ReadOnlySpan<char> digits = UnitSuffix.Split(text, thousand, out long unit);
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
