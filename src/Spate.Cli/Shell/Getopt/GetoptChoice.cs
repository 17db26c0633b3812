using System.Globalization;

namespace Spate.Cli.Shell.Getopt;

/// <summary>An option as it was given.</summary>
/// <param name="Spelling">Its whole name with dashes, for messages.</param>
internal sealed record GetoptChoice(GetoptOption Option, string Spelling, string? Value, string Command)
{
    private const string Powers = "KMGT";

    public string Text => Value ?? "";

    /// <param name="expected">What was expected, as <c>a number from 1 to 128</c>.</param>
    public CommandException Wrong(string expected) =>
        GetoptSyntax.Wrong($"{Spelling} '{Text}': expected {expected}", Command);

    public int ReadNumber(int min, int max) => ReadNumber(Text, min, max);

    /// <param name="expected">The expected form of the whole value, for messages; null for such a number.</param>
    public int ReadNumber(string part, int min, int max, string? expected = null) =>
        int.TryParse(part, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int number)
            && number >= min && number <= max
            ? number
            : throw Wrong(expected ?? string.Create(CultureInfo.InvariantCulture, $"a number from {min} to {max}"));

    /// <summary>Reads a whole number that may be octal (017) or hexadecimal (0x1f), as strtol(3) with base 0.</summary>
    public int ReadAnyBase(int max)
    {
        try
        {
            int number = Text.StartsWith("0x", StringComparison.OrdinalIgnoreCase) ? Convert.ToInt32(Text, fromBase: 16)
                : Text.StartsWith('0') ? Convert.ToInt32(Text, fromBase: 8)
                : int.Parse(Text, NumberStyles.None, CultureInfo.InvariantCulture);
            if (number >= 0 && number <= max) return number;
        }
        catch (Exception fault) when (fault is FormatException or OverflowException or ArgumentException)
        {
            // The line below says what was expected.
        }

        throw Wrong(string.Create(CultureInfo.InvariantCulture, $"a number from 0 to {max}, 0x for hexadecimal"));
    }

    public TimeSpan ReadSeconds(double min, double max) => TimeSpan.FromSeconds(ReadDecimals(Text, min, max));

    public TimeSpan ReadSeconds(string part, double min, double max) =>
        TimeSpan.FromSeconds(ReadDecimals(part, min, max));

    /// <summary>Reads a number that may have decimals and a letter k, m, g or t in any case.</summary>
    /// <param name="thousand">The value of k: 1000 or 1024.</param>
    public long ReadUnits(long thousand, long min, long max) => ReadUnits(Text, thousand, min, max);

    public long ReadUnits(string part, long thousand, long min, long max)
    {
        int power = part.Length == 0 ? -1 : Powers.IndexOf(char.ToUpperInvariant(part[^1]), StringComparison.Ordinal);
        bool isNumber = double.TryParse(
            power < 0 ? part : part[..^1],
            NumberStyles.AllowDecimalPoint,
            CultureInfo.InvariantCulture,
            out double number);
        double value = Math.Truncate(number * Math.Pow(thousand, power + 1));
        if (isNumber && value >= min && value <= max)
        {
            // The largest long is no double: the next one above it would wrap.
            return value >= long.MaxValue ? long.MaxValue : (long)value;
        }

        throw Wrong(string.Create(
            CultureInfo.InvariantCulture, $"a number from {min} to {max}, with K, M, G or T for powers of {thousand}"));
    }

    private double ReadDecimals(string part, double min, double max) =>
        double.TryParse(part, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number)
            && number >= min && number <= max
            ? number
            : throw Wrong(string.Create(CultureInfo.InvariantCulture, $"seconds from {min} to {max}"));
}

/// <summary>A command line that has been read.</summary>
/// <param name="Choices">The options in their order; one that was given twice is there twice.</param>
internal sealed record GetoptLine(IReadOnlyList<GetoptChoice> Choices, IReadOnlyList<string> Operands)
{
    /// <summary>The last choice of an option, which is the one that counts; null where there is none.</summary>
    public GetoptChoice? Last(GetoptOption option) => Choices.LastOrDefault(choice => choice.Option == option);
}
