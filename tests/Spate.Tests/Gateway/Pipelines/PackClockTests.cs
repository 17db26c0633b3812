using Spate.Gateway.Pipelines;
using Spate.Tests.Hosting;

namespace Spate.Tests.Gateway.Pipelines;

/// <summary>The time of arrivals: the system's at the start, and then the monotonic clock's.</summary>
public sealed class PackClockTests
{
    private const long NanosecondsPerSecond = 1_000_000_000;
    private const long NanosecondsPerTick = 100;

    [Fact]
    public void Now_AtTheStart_IsTheSystemsTimeInNanoseconds()
    {
        FakeTime time = AtUnixEpoch();
        Assert.Equal(0, new PackClock(time).Now);
        time.Advance(TimeSpan.FromDays(365));
        Assert.Equal(365 * 24 * 3600 * NanosecondsPerSecond, new PackClock(time).Now);
    }

    /// <summary>Ticks times nanoseconds would overflow after a quarter of an hour.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(TimeSpan.TicksPerSecond - 1)]
    [InlineData(TimeSpan.TicksPerSecond)]
    [InlineData(TimeSpan.TicksPerDay + 7)]
    [InlineData((100 * 365 * TimeSpan.TicksPerDay) + 3)]
    public void Now_TimeHasPassed_GoesOnByExactlyThat(long ticks)
    {
        FakeTime time = AtUnixEpoch();
        PackClock clock = new(time);
        time.Advance(TimeSpan.FromTicks(ticks));
        Assert.Equal(ticks * NanosecondsPerTick, clock.Now);
        Assert.Equal(clock.Now, clock.At(time.GetTimestamp()));
    }

    /// <summary>Somebody may set the system's clock: the arrivals of a run keep their order.</summary>
    [Fact]
    public void Now_OnlyTheSystemsClockGoesOn_StandsStill()
    {
        FakeTime time = new();
        PackClock clock = new(time);
        long first = clock.Now;
        time.SetForward = TimeSpan.FromHours(1);
        Assert.Equal(first, clock.Now);
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(first + NanosecondsPerSecond, clock.Now);
    }

    [Fact]
    public void At_StampsOfTheSystem_AreNanosecondsWhateverTheirUnitIs()
    {
        PackClock clock = new(TimeProvider.System);
        long stamp = TimeProvider.System.GetTimestamp();
        long later = stamp + (3 * TimeProvider.System.TimestampFrequency);
        Assert.Equal(3 * NanosecondsPerSecond, clock.At(later) - clock.At(stamp));
    }

    private static FakeTime AtUnixEpoch()
    {
        FakeTime time = new();
        time.Advance(DateTimeOffset.UnixEpoch - time.GetUtcNow());
        return time;
    }
}
