namespace Spate.Measurement.Bench.Sessions;

/// <summary>A clock that is moved by hand, so that minutes of ageing pass in no time.</summary>
internal sealed class SteppedTime : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _ticks;

    public void Advance(TimeSpan time) => _ticks += time.Ticks;
}
