using System.CommandLine;
using System.Globalization;

namespace Spate.Cli.Options;

/// <summary>Times in seconds, with or without decimals.</summary>
internal static class SecondsText
{
    // One year. A run without an end is asked for by leaving the option out.
    private const double MaxSeconds = 365 * 24 * 3600.0;

    /// <summary>A time of at least the given seconds; null when the option was not given.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="option">The option.</param>
    /// <param name="minSeconds">The shortest time.</param>
    /// <param name="takesZero">Whether zero, which then has a meaning of its own, is taken too.</param>
    public static TimeSpan? Read(
        ParseResult parsed, Option<string?> option, double minSeconds, bool takesZero = false)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        bool isNumber = double.TryParse(
            text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds);
        bool isTime = (seconds >= minSeconds && seconds <= MaxSeconds) || (takesZero && seconds == 0);
        return isNumber && isTime
            ? TimeSpan.FromSeconds(seconds)
            : throw OptionText.Wrong(
                option,
                text,
                (takesZero ? "0, or " : "") + $"seconds from {minSeconds} to {MaxSeconds:0}"
                + OptionText.Examples(", such as", minSeconds, MaxSeconds, ("10", 10), ("0.5", 0.5)));
    }
}
