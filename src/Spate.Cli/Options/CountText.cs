using System.CommandLine;

namespace Spate.Cli.Options;

/// <summary>Numbers of things: plain, or with k, m or g for a thousand, a million and a billion.</summary>
internal static class CountText
{
    public static bool TryParse(string text, out long count) => UnitText.TryParse(text, 1000, out count);

    /// <summary>A number within bounds; null when the option was not given.</summary>
    public static long? Read(ParseResult parsed, Option<string?> option, long min, long max)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        return TryParse(text, out long count) && count >= min && count <= max
            ? count
            : throw OptionText.Wrong(
                option,
                text,
                $"a number from {min} to {max}"
                + OptionText.Examples(" such as", min, max, ("5000", 5000), ("10k", 10_000)));
    }
}
