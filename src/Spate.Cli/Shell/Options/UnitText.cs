using System.CommandLine;
using System.Globalization;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Traffic;

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

/// <summary>The rate to send at: datagrams a second, payload bits a second, or as fast as possible.</summary>
internal readonly record struct Rate
{
    public const string Expected = "datagrams per second from 1 to 1G such as 200k, payload bits such as 5Gbit, or max";

    /// <summary>The highest rate that is paced: far more than one machine can send.</summary>
    public const double MaxDatagramsPerSecond = 1e9;

    private const double MaxBitsPerSecond = 1e13;

    private Rate(double? datagramsPerSecond, double? bitsPerSecond)
    {
        DatagramsPerSecond = datagramsPerSecond;
        BitsPerSecond = bitsPerSecond;
    }

    public static Rate Maximum { get; }

    public bool IsMaximum => DatagramsPerSecond is null && BitsPerSecond is null;

    public double? DatagramsPerSecond { get; }

    public double? BitsPerSecond { get; }

    public static Rate OfDatagrams(double datagramsPerSecond) => new(datagramsPerSecond, bitsPerSecond: null);

    public double? ForSize(int sizeBytes) =>
        BitsPerSecond is { } bits ? bits / (sizeBytes * 8.0) : DatagramsPerSecond;

    public static bool TryParse(string text, out Rate rate)
    {
        rate = Maximum;
        if (text.Equals("max", StringComparison.OrdinalIgnoreCase)) return true;

        ReadOnlySpan<char> number = text;
        bool isBits = UnitSuffix.TryTrimEnd(ref number, "bit/s") || UnitSuffix.TryTrimEnd(ref number, "bit");
        if (!TryParseNumber(number, out double value) || value <= 0
            || value > (isBits ? MaxBitsPerSecond : MaxDatagramsPerSecond))
        {
            return false;
        }

        rate = isBits ? new Rate(datagramsPerSecond: null, value) : OfDatagrams(value);
        return true;
    }

    private static bool TryParseNumber(ReadOnlySpan<char> text, out double value)
    {
        ReadOnlySpan<char> digits = UnitSuffix.Split(text, UnitSuffix.CountThousand, out long unit);
        bool isNumber = double.TryParse(
            digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out value);
        value *= unit;
        return isNumber && double.IsFinite(value);
    }
}

/// <summary>Times in seconds, with decimals or with a unit: <c>200ms</c>, <c>50us</c>, <c>2s</c>.</summary>
internal static class SecondsText
{
    // One year. A run without an end is asked for by leaving the option out.
    private const double MaxSeconds = 365 * 24 * 3600.0;

    /// <summary>A time of at least the given seconds; null when the option was not given.</summary>
    /// <param name="takesZero">Whether zero, which then has a meaning of its own, is taken too.</param>
    /// <param name="maxSeconds">The longest time; one year by default.</param>
    public static TimeSpan? Read(
        ParseResult parsed,
        Option<string?> option,
        double minSeconds,
        bool takesZero = false,
        double maxSeconds = MaxSeconds)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        bool isNumber = TryParse(text, out double seconds);
        bool isTime = (seconds >= minSeconds && seconds <= maxSeconds) || (takesZero && seconds == 0);
        return isNumber && isTime
            ? TimeSpan.FromSeconds(seconds)
            : throw OptionText.Wrong(
                option,
                text,
                (takesZero ? "0, or " : "") + $"seconds from {minSeconds} to {maxSeconds:0}"
                + OptionText.Examples(", such as", minSeconds, maxSeconds, ("10", 10), ("0.5", 0.5), ("200ms", 0.2)));
    }

    private static bool TryParse(ReadOnlySpan<char> text, out double seconds)
    {
        // "ms" and "us" end in "s" as well, so the shorter unit comes last.
        double unit = UnitSuffix.TryTrimEnd(ref text, "ms") ? 1e-3 : UnitSuffix.TryTrimEnd(ref text, "us") ? 1e-6 : 1;
        if (unit == 1) UnitSuffix.TryTrimEnd(ref text, "s");
        bool isNumber = double.TryParse(
            text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out seconds);
        seconds *= unit;
        return isNumber;
    }
}

/// <summary>The option <c>--interval</c> of every command that tells how a run goes on.</summary>
internal static class IntervalText
{
    private const double MinSeconds = 0.1;

    public static Option<string?> Create() => OptionText.Create(
        "--interval", "S", "Seconds between lines, from 0.1; 0 for only the summary. Default: 1.");

    /// <summary>The time between two lines; zero for the summary only.</summary>
    public static TimeSpan Read(ParseResult parsed, Option<string?> option) =>
        SecondsText.Read(parsed, option, MinSeconds, takesZero: true) ?? IntervalReport.DefaultInterval;
}
