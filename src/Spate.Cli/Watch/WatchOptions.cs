using Spate.HostTuning.Checks;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Watch;

/// <summary>What is watched, how often and for how long.</summary>
internal sealed record WatchOptions
{
    /// <summary>The host's part; its duration and its targets are not used.</summary>
    public CheckOptions Request { get; init; } = new();

    /// <summary>The time between two reports, 1 s by default; zero for the report of the whole time only.</summary>
    public TimeSpan Interval { get; init; } = IntervalReport.DefaultInterval;

    public TimeSpan? Duration { get; init; }

    public long? IntervalCount { get; init; }

    public bool ShowsAllCores { get; init; }

    public string SpateVersion { get; init; } = "";
}
