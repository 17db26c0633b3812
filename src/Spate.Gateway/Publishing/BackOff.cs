namespace Spate.Gateway.Publishing;

/// <summary>How long to wait before the next attempt: twice as long each time, with jitter.</summary>
internal static class BackOff
{
    private const int MinMilliseconds = 100;

    /// <summary>After that many the pause is at its longest whatever the bound is, and no shift overflows.</summary>
    private const int MaxDoublings = 16;

    /// <summary>The longest pause between two attempts to connect.</summary>
    public static readonly TimeSpan MaxConnectPause = TimeSpan.FromSeconds(5);

    /// <summary>The longest pause before a refused pack is published again.</summary>
    public static readonly TimeSpan MaxRefusalPause = TimeSpan.FromSeconds(2);

    /// <inheritdoc cref="Pause(int, TimeSpan, double)"/>
    public static TimeSpan Pause(int failureCount, TimeSpan max) =>
        Pause(failureCount, max, Random.Shared.NextDouble());

    /// <summary>
    /// The pause after a number of failures, from 1: 100 ms, 200 ms and so on up to <paramref name="max"/>, less up to
    /// half of it at random, so that gateways that lost the same broker do not come back together.
    /// </summary>
    public static TimeSpan Pause(int failureCount, TimeSpan max, double random)
    {
        int doublings = Math.Clamp(failureCount - 1, 0, MaxDoublings);
        double milliseconds = Math.Min((double)MinMilliseconds * (1 << doublings), max.TotalMilliseconds);
        return TimeSpan.FromMilliseconds(milliseconds * (1 - (random / 2)));
    }
}
