namespace Spate.Cli.Bench.Sessions;

/// <summary>A clock that moves only when told to, so that minutes of ageing pass at once.</summary>
internal sealed class SteppedTime : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _ticks;

    public void Advance(TimeSpan time) => _ticks += time.Ticks;
}
