namespace Spate.Tests.Measurement.Pacing;

/// <summary>A clock that the test moves; its ticks are nanoseconds.</summary>
internal sealed class FakeClock : TimeProvider
{
    public const long TicksPerSecond = 1_000_000_000;
    public const long TicksPerMillisecond = 1_000_000;

    public long NowTicks { get; set; }

    public override long TimestampFrequency => TicksPerSecond;

    public override long GetTimestamp() => NowTicks;
}
