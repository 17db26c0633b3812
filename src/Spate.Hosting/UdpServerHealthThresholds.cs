namespace Spate.Hosting;

/// <summary>When the health check of a server reports that it is degraded or unhealthy.</summary>
public sealed class UdpServerHealthThresholds
{
    /// <summary>
    /// The share of what arrived that may be dropped between two checks, 0 to 1, before the server is degraded; null
    /// for any. Default 0.01. Drops are those of the kernel because a receive buffer was full, of channels that were
    /// full (<see cref="Spate.Serving.UdpServerStatistics.ChannelDrops"/>), and of batches whose handler threw. On a
    /// coalescing socket the kernel counts a coalesced buffer as one drop, so that the true share may be larger.
    /// </summary>
    public double? MaxDropShare { get; set; } = 0.01;

    /// <summary>
    /// The drops per second between two checks, 0 or more, above which the server is degraded; null for any number.
    /// Default null.
    /// </summary>
    public double? MaxDropsPerSecond { get; set; }

    /// <summary>
    /// How long a call of a handler may last before the server is stalled, and so unhealthy; more than zero. Default
    /// 5 s. It shows when two checks that lie so far apart find the same call.
    /// </summary>
    public TimeSpan StalledAfter { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The shortest time over which drops are judged, zero or more; a check that comes sooner repeats the last
    /// judgement of drops. Default 1 s.
    /// </summary>
    public TimeSpan MinInterval { get; set; } = TimeSpan.FromSeconds(1);

    internal void Validate()
    {
        if (MaxDropShare is < 0 or > 1 or double.NaN)
        {
            throw new ArgumentOutOfRangeException(
                nameof(MaxDropShare), MaxDropShare, "MaxDropShare must be from 0 to 1, or null.");
        }

        if (MaxDropsPerSecond is < 0 or double.NaN)
        {
            throw new ArgumentOutOfRangeException(
                nameof(MaxDropsPerSecond), MaxDropsPerSecond, "The drops per second are 0 or more, or null.");
        }

        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(StalledAfter, TimeSpan.Zero, nameof(StalledAfter));
        ArgumentOutOfRangeException.ThrowIfLessThan(MinInterval, TimeSpan.Zero, nameof(MinInterval));
    }
}
