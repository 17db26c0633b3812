namespace Spate.TestHelpers.Time;

/// <summary>A clock that stands still until it is told to go on.</summary>
internal sealed class FakeTime : TimeProvider
{
    private long _ticks = TimeSpan.TicksPerDay;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public override DateTimeOffset GetUtcNow() => new(GetTimestamp(), TimeSpan.Zero);

    public void Advance(TimeSpan time) => Interlocked.Add(ref _ticks, time.Ticks);

    /// <summary>Lets the time pass until a task is over, which its threads need a moment for.</summary>
    public void AdvanceUntil(Task task, TimeSpan step)
    {
        while (!((IAsyncResult)task).AsyncWaitHandle.WaitOne(millisecondsTimeout: 1)) Advance(step);
    }
}
