using Spate.Cli.Comparison;

namespace Spate.Cli.Tune.Trials;

/// <summary>How often candidates are measured, and in which order.</summary>
internal sealed record TrialOptions
{
    /// <summary>The least number of measurements: below it there is no verdict.</summary>
    public const int MinRepeat = ReportComparison.MinSamples;

    public const int MaxRepeat = 50;

    public required TrialLoad Load { get; init; }

    /// <summary>How often each candidate is measured in a series. Default: 7.</summary>
    public int Repeat { get; init; } = 7;

    public required int Seed { get; init; }

    public TimeSpan EstimateSeries(int sides, TimeSpan setUpTime) => Repeat * sides * (Load.Duration + setUpTime);
}
