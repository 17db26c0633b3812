using System.CommandLine;

namespace Spate.Cli.Options;

/// <summary>Sizes in bytes: plain numbers, or with k, m or g for 1024, 1024² and 1024³.</summary>
internal static class SizeText
{
    public static bool TryParse(string text, out long bytes) => UnitText.TryParse(text, 1024, out bytes);

    /// <summary>A size in bytes within bounds; null when the option was not given.</summary>
    public static long? Read(ParseResult parsed, Option<string?> option, long minBytes, long maxBytes)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        return TryParse(text, out long bytes) && bytes >= minBytes && bytes <= maxBytes
            ? bytes
            : throw OptionText.Wrong(
                option,
                text,
                $"from {minBytes} to {maxBytes} bytes" + OptionText.Examples(
                    ", such as", minBytes, maxBytes, ("1380", 1380), ("64k", 64 << 10), ("4M", 4 << 20)));
    }
}
