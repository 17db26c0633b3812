using System.CommandLine;
using System.Globalization;

namespace Spate.Cli.Options;

/// <summary>
/// Makes options that hand over their text, and reads that text. Options are not typed by the parser: one generic
/// instantiation keeps the start short, and our own messages say what was expected.
/// </summary>
internal static class OptionText
{
    // A year: longer runs are asked for by leaving the option out.
    private const double LongestSeconds = 365 * 24 * 3600.0;

    public static Option<string?> Create(string name, string helpName, string description) =>
        new(name) { HelpName = helpName, Description = description };

    public static Option<bool> CreateFlag(string name, string description) => new(name) { Description = description };

    public static Option<string?> CreateJson() => Create(
        "--json", "FILE|-", "Write the report as JSON to a file, or to stdout (-), which then holds nothing else.");

    /// <summary>A time in seconds, decimals allowed; null when the option was not given.</summary>
    public static TimeSpan? ReadSeconds(ParseResult parsed, Option<string?> option, double minimumSeconds)
    {
        string? text = parsed.GetValue(option);
        if (text is null)
        {
            return null;
        }

        bool isNumber = double.TryParse(
            text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds);
        return isNumber && seconds >= minimumSeconds && seconds <= LongestSeconds
            ? TimeSpan.FromSeconds(seconds)
            : throw Wrong(
                option,
                text,
                $"seconds from {minimumSeconds} to {LongestSeconds:0}"
                + Examples(", such as", minimumSeconds, LongestSeconds, ("10", 10), ("0.5", 0.5)));
    }

    /// <summary>A size in bytes within bounds; null when the option was not given.</summary>
    public static long? ReadSize(ParseResult parsed, Option<string?> option, long minimumBytes, long maximumBytes)
    {
        string? text = parsed.GetValue(option);
        if (text is null)
        {
            return null;
        }

        return SizeText.TryParse(text, out long bytes) && bytes >= minimumBytes && bytes <= maximumBytes
            ? bytes
            : throw Wrong(
                option,
                text,
                $"from {minimumBytes} to {maximumBytes} bytes" + Examples(
                    ", such as", minimumBytes, maximumBytes, ("1380", 1380), ("64k", 64 << 10), ("4M", 4 << 20)));
    }

    /// <summary>Those examples that are within the bounds, behind their introduction; empty where none is.</summary>
    public static string Examples(
        string introduction, double least, double most, params (string Text, double Value)[] examples)
    {
        string[] fitting = [.. examples
            .Where(example => example.Value >= least && example.Value <= most)
            .Select(static example => example.Text)];
        return fitting.Length switch
        {
            0 => "",
            1 => $"{introduction} {fitting[0]}",
            _ => $"{introduction} {string.Join(", ", fitting[..^1])} or {fitting[^1]}",
        };
    }

    public static CommandException Wrong(Option option, string text, string expected) =>
        CommandException.WrongUse($"{option.Name} '{text}' is wrong: expected {expected}");
}
