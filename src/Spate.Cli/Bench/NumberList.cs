using System.CommandLine;
using Spate.Cli.Shell.Options;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Bench;

/// <summary>Options that take one or several different numbers, for example <c>1k,100k,1m</c>.</summary>
internal static class NumberList
{
    /// <summary>Null when the option was not given.</summary>
    public static int[]? ReadCounts(
        ParseResult parsed,
        Option<string?> option,
        int min,
        int max,
        string example,
        int maxCount)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        string expected = $"whole numbers from {min} to {max} such as {example}";
        return Parse(option, text, UnitSuffix.CountThousand, min, max, expected, maxCount);
    }

    /// <summary>In bytes; those of the default text when the option was not given.</summary>
    public static int[] ReadSizes(
        ParseResult parsed, Option<string?> option, int min, int max, string defaultText, int maxCount)
    {
        string text = parsed.GetValue(option) ?? defaultText;
        string expected = $"sizes from {min} to {max} bytes such as 64,1380";
        return Parse(option, text, UnitSuffix.SizeThousand, min, max, expected, maxCount);
    }

    private static int[] Parse(
        Option<string?> option, string text, long thousand, int min, int max, string expected, int maxCount)
    {
        string[] parts = text.Split(',');
        int[] numbers = new int[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isRight = UnitText.TryParse(parts[i], thousand, out long number) && number >= min && number <= max;
            numbers[i] = isRight ? (int)number : throw OptionText.Wrong(option, text, expected);
        }

        return numbers.Length <= maxCount && numbers.Distinct().Count() == numbers.Length
            ? numbers
            : throw OptionText.Wrong(option, text, $"each one once, at most {maxCount} of them");
    }
}
