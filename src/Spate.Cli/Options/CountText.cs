using System.CommandLine;
using System.Globalization;

namespace Spate.Cli.Options;

/// <summary>Numbers of things: plain, or with k, m or g for a thousand, a million and a billion.</summary>
internal static class CountText
{
    public static bool TryParse(string text, out long count)
    {
        long unit = text.Length == 0 ? 1 : text[^1] switch
        {
            'k' or 'K' => 1000,
            'm' or 'M' => 1_000_000,
            'g' or 'G' => 1_000_000_000,
            _ => 1,
        };
        ReadOnlySpan<char> digits = unit == 1 ? text : text.AsSpan(0, text.Length - 1);
        bool isNumber = long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            && number <= long.MaxValue / unit;
        count = isNumber ? number * unit : 0;
        return isNumber;
    }

    /// <summary>A number within bounds; null when the option was not given.</summary>
    public static long? Read(ParseResult parsed, Option<string?> option, long least, long most)
    {
        if (parsed.GetValue(option) is not { } text)
        {
            return null;
        }

        return TryParse(text, out long count) && count >= least && count <= most
            ? count
            : throw OptionText.Wrong(
                option,
                text,
                string.Create(CultureInfo.InvariantCulture, $"a number from {least} to {most}")
                + OptionText.Examples(" such as", least, most, ("5000", 5000), ("10k", 10_000)));
    }
}
