using Spate.Cli.Comparison;

namespace Spate.Cli.Tune.Trials;

/// <summary>How often candidates are measured, and in which order.</summary>
internal sealed record TrialOptions
{
    /// <summary>The least number of measurements: below it there is no verdict.</summary>
    public const int MinRepeat = ReportComparison.MinSamples;

    /// <summary>The greatest number of measurements.</summary>
    public const int MaxRepeat = 50;

    /// <summary>The traffic that every side gets.</summary>
    public required TrialLoad Load { get; init; }

    /// <summary>How often each candidate is measured in a series. Default: 7.</summary>
    public int Repeat { get; init; } = 7;

    /// <summary>Decides the order.</summary>
    public required int Seed { get; init; }

    /// <summary>About how long a series takes.</summary>
    /// <param name="sides">What is measured in turn: the candidates, and the host as it is.</param>
    /// <param name="setUpTime">See <see cref="TrialEnds.SetUpTime"/>.</param>
    public TimeSpan EstimateSeries(int sides, TimeSpan setUpTime) => Repeat * sides * (Load.Duration + setUpTime);
}
