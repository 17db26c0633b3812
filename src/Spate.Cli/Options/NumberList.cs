using System.CommandLine;
using Spate.Measurement.Bench;

namespace Spate.Cli.Options;

/// <summary>Options that take one or several numbers, for example <c>1k,100k,1m</c>.</summary>
internal static class NumberList
{
    /// <summary>Whole numbers within bounds, each once; null when the option was not given.</summary>
    public static int[]? Read(
        ParseResult parsed,
        Option<string?> option,
        int min,
        int max,
        string example,
        int maxCount = BenchOptions.MaxSizeCount)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        string[] parts = text.Split(',');
        int[] numbers = new int[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isRight = CountText.TryParse(parts[i], out long number) && number >= min && number <= max;
            numbers[i] = isRight ? (int)number : throw OptionText.Wrong(
                option,
                text,
                $"whole numbers from {min} to {max} such as {example}");
        }

        return RequireDistinct(option, text, numbers, maxCount);
    }

    /// <summary>Refuses a list that is too long or names something twice.</summary>
    public static int[] RequireDistinct(Option option, string text, int[] numbers, int maxCount) =>
        numbers.Length <= maxCount && numbers.Distinct().Count() == numbers.Length
            ? numbers
            : throw OptionText.Wrong(option, text, $"each one once, at most {maxCount} of them");
}
