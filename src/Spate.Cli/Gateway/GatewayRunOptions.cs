using Spate.Gateway;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Gateway;

/// <summary>What a <see cref="GatewayRun"/> does.</summary>
internal sealed record GatewayRunOptions
{
    public required UdpGatewayOptions Gateway { get; init; }

    /// <summary>How long to commit what was accepted, when the run ends; default 5 s.</summary>
    public TimeSpan Drain { get; init; } = TimeSpan.FromSeconds(5);

    public TimeSpan? Duration { get; init; }

    /// <summary>Time between two interval reports; zero for none.</summary>
    public TimeSpan Interval { get; init; } = IntervalReport.DefaultInterval;
}
