namespace Spate.Serving.Shards;

/// <summary>
/// Computes when the next tick of a thread is due. Missed ticks are skipped. If the interval is null, there are no
/// ticks.
/// </summary>
internal sealed class TickClock(TimeProvider time, TimeSpan? interval)
{
    private const int NeverMilliseconds = -1;

    private long _start;
    private long _next;

    /// <summary>The time since <see cref="Start"/>.</summary>
    public TimeSpan Now => time.GetElapsedTime(_start);

    public bool IsDue => interval is not null && time.GetTimestamp() >= _next;

    /// <summary>The number of milliseconds until the next tick, rounded up; -1 without ticks.</summary>
    public int RemainingMilliseconds
    {
        get
        {
            if (interval is null) return NeverMilliseconds;
            double remaining = (_next - time.GetTimestamp()) * 1000.0 / time.TimestampFrequency;
            return (int)Math.Clamp(Math.Ceiling(remaining), 0, int.MaxValue);
        }
    }

    public void Start()
    {
        _start = time.GetTimestamp();
        Next();
    }

    public void Next()
    {
        if (interval is { } each) _next = time.GetTimestamp() + (long)(each.TotalSeconds * time.TimestampFrequency);
    }
}
