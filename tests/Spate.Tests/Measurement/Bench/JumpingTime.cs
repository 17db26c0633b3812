namespace Spate.Tests.Measurement.Bench;

/// <summary>
/// A clock that stands still until it is told to go on, or until somebody waits by it: the wait is over at once, and
/// its time has gone by.
/// </summary>
internal sealed class JumpingTime : TimeProvider
{
    private long _ticks = TimeSpan.TicksPerDay;

    /// <summary>
    /// Called with the length of each wait; returns how long it really is. A shorter one ends by a cancellation only.
    /// </summary>
    public Func<TimeSpan, TimeSpan>? OnWait { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        TimeSpan length = OnWait?.Invoke(dueTime) ?? dueTime;
        Advance(length);
        if (length >= dueTime) callback(state);
        return new OverTimer();
    }

    public void Advance(TimeSpan time) => Interlocked.Add(ref _ticks, time.Ticks);

    private sealed class OverTimer : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose()
        {
            // The wait was over before the timer was made.
        }

        public ValueTask DisposeAsync() => default;
    }
}
