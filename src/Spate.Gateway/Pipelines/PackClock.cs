namespace Spate.Gateway.Pipelines;

/// <summary>
/// The time of arrivals, in nanoseconds since 1970 UTC: the system's time at the start and the monotonic clock since
/// then, so that it never goes back.
/// </summary>
internal sealed class PackClock(TimeProvider time)
{
    private const long NanosecondsPerSecond = 1_000_000_000;
    private const long NanosecondsPerTick = 100;

    private readonly long _frequency = time.TimestampFrequency;
    private readonly long _startStamp = time.GetTimestamp();
    private readonly long _startTime = (time.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks * NanosecondsPerTick;

    /// <summary>The present time.</summary>
    public long Now => At(time.GetTimestamp());

    /// <summary>The time of a time stamp of the same provider.</summary>
    public long At(long stamp)
    {
        long elapsed = stamp - _startStamp;
        if (_frequency == NanosecondsPerSecond) return _startTime + elapsed;
        (long seconds, long rest) = Math.DivRem(elapsed, _frequency);
        return _startTime + (seconds * NanosecondsPerSecond) + (rest * NanosecondsPerSecond / _frequency);
    }
}
