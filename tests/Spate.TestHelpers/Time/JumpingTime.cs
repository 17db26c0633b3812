namespace Spate.TestHelpers.Time;

/// <summary>
/// A clock that also goes on when somebody waits by it: the wait is over at once, and its time has gone by.
/// </summary>
internal sealed class JumpingTime : FakeTime
{
    /// <summary>
    /// Called with the length of each wait; returns how long it really is. A shorter one ends by a cancellation only.
    /// </summary>
    public Func<TimeSpan, TimeSpan>? OnWait { get; set; }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        TimeSpan length = OnWait?.Invoke(dueTime) ?? dueTime;
        Advance(length);
        if (length >= dueTime) callback(state);
        return new OverTimer();
    }

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
