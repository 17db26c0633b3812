using Spate.Serving.Shards;

namespace Spate.Tests.Serving.Shards;

public sealed class TickClockTests
{
    private readonly FakeTime _time = new();

    [Fact]
    public void TickClock_TimePasses_DueOncePerIntervalAndMissedOnesAreNotMadeUpFor()
    {
        TickClock clock = new(_time, TimeSpan.FromMilliseconds(10));
        clock.Start();
        Assert.False(clock.IsDue);
        Assert.Equal(10, clock.RemainingMilliseconds);
        _time.Advance(TimeSpan.FromMilliseconds(9.5));
        Assert.Equal(1, clock.RemainingMilliseconds);
        Assert.False(clock.IsDue);
        _time.Advance(TimeSpan.FromMilliseconds(100));
        Assert.True(clock.IsDue);
        Assert.Equal(0, clock.RemainingMilliseconds);
        clock.Next();
        Assert.False(clock.IsDue);
        Assert.Equal(TimeSpan.FromMilliseconds(109.5), clock.Now);
        Assert.Equal(10, clock.RemainingMilliseconds);
    }

    [Fact]
    public void TickClock_NoInterval_NeverDue()
    {
        TickClock clock = new(_time, interval: null);
        clock.Start();
        _time.Advance(TimeSpan.FromDays(1));
        Assert.False(clock.IsDue);
        Assert.Equal(-1, clock.RemainingMilliseconds);
    }
}
