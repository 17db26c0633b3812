using System.CommandLine;
using System.Globalization;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Shell.Options;

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
