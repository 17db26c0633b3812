namespace Spate.Gateway;

/// <summary>When the health check of a gateway reports that it is degraded.</summary>
public sealed class GatewayHealthThresholds
{
    /// <summary>
    /// The share of what was accepted that may be dropped between two checks, 0 to 1, before the gateway is degraded;
    /// null for any. Default 0: nothing. What is not allowed does not count.
    /// </summary>
    public double? MaxDropShare { get; set; } = 0;

    /// <summary>
    /// The shortest time over which drops are judged, zero or more; a check that comes sooner repeats the last
    /// judgement. Default 1 s.
    /// </summary>
    public TimeSpan MinInterval { get; set; } = TimeSpan.FromSeconds(1);

    internal void Validate()
    {
        if (MaxDropShare is < 0 or > 1 or double.NaN)
        {
            throw new ArgumentOutOfRangeException(
                nameof(MaxDropShare), MaxDropShare, "MaxDropShare must be from 0 to 1, or null.");
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(MinInterval, TimeSpan.Zero, nameof(MinInterval));
    }
}
