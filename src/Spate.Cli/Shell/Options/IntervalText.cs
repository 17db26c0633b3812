using System.CommandLine;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Shell.Options;

/// <summary>The option <c>--interval</c> of every command that tells how a run goes on.</summary>
internal static class IntervalText
{
    private const double MinSeconds = 0.1;

    public static Option<string?> Create() => OptionText.Create(
        "--interval", "S", "Seconds between two lines, from 0.1; 0 for the summary only. Default: 1.");

    /// <summary>The time between two lines; zero for the summary only.</summary>
    public static TimeSpan Read(ParseResult parsed, Option<string?> option) =>
        SecondsText.Read(parsed, option, MinSeconds, takesZero: true) ?? IntervalReport.DefaultInterval;
}
