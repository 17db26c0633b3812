namespace Spate.TestHelpers.Time;

/// <summary>A clock that stands still until it is told to go on: then the timers fire whose time has come.</summary>
internal class FakeTime : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<FakeTimer> _timers = [];
    private long _ticks = TimeSpan.TicksPerDay;

    /// <summary>What somebody has set the time of day forward by; time stamps do not change by it.</summary>
    public TimeSpan SetForward { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>The number of timers that have not been disposed.</summary>
    public int TimerCount
    {
        get
        {
            lock (_lock) return _timers.Count;
        }
    }

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public override DateTimeOffset GetUtcNow() => new DateTimeOffset(GetTimestamp(), TimeSpan.Zero) + SetForward;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new FakeTimer(this, () => callback(state));
        lock (_lock) _timers.Add(timer);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Goes on, and fires the timers that are due on the caller's thread, each once.</summary>
    /// <returns>How many there were.</returns>
    public int Advance(TimeSpan time)
    {
        long now = Interlocked.Add(ref _ticks, time.Ticks);
        FakeTimer[] due;
        lock (_lock) due = [.. _timers.Where(timer => timer.Take(now))];
        foreach (FakeTimer timer in due) timer.Call();
        return due.Length;
    }

    /// <summary>Fires every timer, due or not: one may be on its way already when it is put off.</summary>
    public void FireAll()
    {
        FakeTimer[] all;
        lock (_lock) all = [.. _timers];
        foreach (FakeTimer timer in all) timer.Call();
    }

    /// <summary>Lets the time pass until a task is over, which its threads need a moment for.</summary>
    public void AdvanceUntil(Task task, TimeSpan step)
    {
        Wait.Until(
            () =>
            {
                if (((IAsyncResult)task).AsyncWaitHandle.WaitOne(millisecondsTimeout: 1)) return true;
                Advance(step);
                return false;
            },
            "the end of a task");
    }

    private sealed class FakeTimer(FakeTime time, Action call) : ITimer
    {
        private long _dueTicks = long.MaxValue;
        private TimeSpan _period;

        public Action Call => call;

        /// <summary>Whether it is due; it then waits for its next period, if it has one.</summary>
        public bool Take(long now)
        {
            if (now < _dueTicks) return false;

            _dueTicks = _period > TimeSpan.Zero ? now + _period.Ticks : long.MaxValue;
            return true;
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._lock)
            {
                long now = Interlocked.Read(ref time._ticks);
                _dueTicks = dueTime >= TimeSpan.Zero ? now + dueTime.Ticks : long.MaxValue;
                _period = period;
                return time._timers.Contains(this);
            }
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
