using Spate.Diagnostics;

namespace Spate.Tests.Diagnostics;

public sealed class EventThrottleTests
{
    private readonly FakeTime _time = new();

    [Fact]
    public void TryPass_ManyInTenSeconds_OnePassesAndTheNextStandsForTheRest()
    {
        var throttle = new EventThrottle(_time);

        Assert.Equal((true, 1), Pass(throttle));
        for (int i = 1; i <= 1000; i++) Assert.False(Pass(throttle).Passes);
        _time.Advance(EventThrottle.Interval - TimeSpan.FromTicks(1));
        Assert.False(Pass(throttle).Passes);
        _time.Advance(TimeSpan.FromTicks(1));

        Assert.Equal((true, 1002), Pass(throttle));
        Assert.False(Pass(throttle).Passes);
    }

    [Fact]
    public void TryPass_ManyThreads_OnePassesAndEachEventIsCountedOnce()
    {
        const int threadCount = 4, eventCount = 10_000;
        var throttle = new EventThrottle(_time);
        long passed = 0, counted = 0;

        Parallel.For(0, threadCount, _ =>
        {
            for (int i = 0; i < eventCount; i++)
            {
                if (!throttle.TryPass(out long count)) continue;
                Interlocked.Increment(ref passed);
                Interlocked.Add(ref counted, count);
            }
        });
        _time.Advance(EventThrottle.Interval);
        Assert.True(throttle.TryPass(out long rest));

        Assert.Equal(1, passed);
        Assert.Equal((threadCount * eventCount) + 1, counted + rest);
    }

    [Fact]
    public void Interval_IsTenSeconds() => Assert.Equal(TimeSpan.FromSeconds(10), EventThrottle.Interval);

    private static (bool Passes, long Count) Pass(EventThrottle throttle) =>
        (throttle.TryPass(out long count), count);
}
