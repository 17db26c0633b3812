namespace Spate.Serving.Shards;

/// <summary>When the next tick of a thread is due. Missed ticks are not made up for.</summary>
internal sealed class TickClock(TimeProvider time, TimeSpan interval)
{
    private const int NeverMilliseconds = -1;

    private long _start;
    private long _next;

    /// <summary>Time since the start.</summary>
    public TimeSpan Now => time.GetElapsedTime(_start);

    public bool IsDue => interval > TimeSpan.Zero && time.GetTimestamp() >= _next;

    /// <summary>Until the next tick, rounded up; -1 where there are none.</summary>
    public int RemainingMilliseconds
    {
        get
        {
            if (interval <= TimeSpan.Zero) return NeverMilliseconds;
            double remaining = (_next - time.GetTimestamp()) * 1000.0 / time.TimestampFrequency;
            return (int)Math.Clamp(Math.Ceiling(remaining), 0, int.MaxValue);
        }
    }

    public void Start()
    {
        _start = time.GetTimestamp();
        Next();
    }

    public void Next() => _next = time.GetTimestamp() + (long)(interval.TotalSeconds * time.TimestampFrequency);
}
