namespace Spate.Tests;

/// <summary>A clock that stands still until it is told to go on.</summary>
internal sealed class FakeTime : TimeProvider
{
    private long _ticks = TimeSpan.TicksPerDay;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public override DateTimeOffset GetUtcNow() => new(GetTimestamp(), TimeSpan.Zero);

    public void Advance(TimeSpan time) => Interlocked.Add(ref _ticks, time.Ticks);
}
