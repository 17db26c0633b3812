using System.CommandLine;
using System.Globalization;
using Spate.Measurement.Bench;

namespace Spate.Cli.Options;

/// <summary>Options that take one or several numbers, as <c>1k,100k,1m</c>.</summary>
internal static class NumberList
{
    /// <summary>Whole numbers within bounds, each once; null when the option was not given.</summary>
    public static int[]? Read(
        ParseResult parsed,
        Option<string?> option,
        int least,
        int most,
        string example,
        int countMost = BenchOptions.MaxSizeCount)
    {
        if (parsed.GetValue(option) is not { } text)
        {
            return null;
        }

        string[] parts = text.Split(',');
        int[] numbers = new int[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isRight = CountText.TryParse(parts[i], out long number) && number >= least && number <= most;
            numbers[i] = isRight ? (int)number : throw OptionText.Wrong(
                option,
                text,
                string.Create(CultureInfo.InvariantCulture, $"whole numbers from {least} to {most} such as {example}"));
        }

        return RequireDistinct(option, text, numbers, countMost);
    }

    /// <summary>Refuses a list that is too long or names something twice.</summary>
    public static int[] RequireDistinct(Option option, string text, int[] numbers, int countMost) =>
        numbers.Length <= countMost && numbers.Distinct().Count() == numbers.Length
            ? numbers
            : throw OptionText.Wrong(option, text, $"each one once, at most {countMost} of them");
}
