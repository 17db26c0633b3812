namespace Spate.Tests.Hosting;

/// <summary>Time that passes, and timers that fire, when the test says so.</summary>
internal sealed class HandFiredTime : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<HandFiredTimer> _timers = [];
    private long _ticks = TimeSpan.TicksPerDay;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        HandFiredTimer timer = new(this, () => callback(state), period);
        lock (_lock) _timers.Add(timer);
        return timer;
    }

    /// <summary>Lets the time of a period pass, and fires the timers of this period on the caller's thread.</summary>
    /// <returns>How many there were.</returns>
    public int Fire(TimeSpan period)
    {
        Interlocked.Add(ref _ticks, period.Ticks);
        HandFiredTimer[] due;
        lock (_lock) due = [.. _timers.Where(timer => timer.Period == period)];
        foreach (HandFiredTimer timer in due) timer.Call();
        return due.Length;
    }

    private sealed class HandFiredTimer(HandFiredTime time, Action call, TimeSpan period) : ITimer
    {
        public Action Call => call;

        public TimeSpan Period { get; private set; } = period;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            Period = period;
            return true;
        }

        public void Dispose()
        {
            lock (time._lock) time._timers.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
