using Spate.Diagnostics;

namespace Spate.Tests.Diagnostics;

public sealed class EventThrottleTests
{
    private readonly FakeTime _time = new();

    [Fact]
    public void TryPass_ManyInTenSeconds_OnePassesAndTheNextStandsForTheRest()
    {
        var throttle = new EventThrottle(_time);

        Assert.Equal((true, 1), Pass(throttle, EventKind.GsoFallback));
        for (int i = 1; i <= 1000; i++) Assert.False(Pass(throttle, EventKind.GsoFallback).Passes);
        _time.Advance(EventThrottle.Interval - TimeSpan.FromTicks(1));
        Assert.False(Pass(throttle, EventKind.GsoFallback).Passes);
        _time.Advance(TimeSpan.FromTicks(1));

        Assert.Equal((true, 1002), Pass(throttle, EventKind.GsoFallback));
        Assert.False(Pass(throttle, EventKind.GsoFallback).Passes);
    }

    [Fact]
    public void TryPass_OtherKind_HasItsOwnTime()
    {
        var throttle = new EventThrottle(_time);

        Assert.Equal((true, 1), Pass(throttle, EventKind.GsoFallback));
        Assert.Equal((true, 1), Pass(throttle, EventKind.UnknownReceiveError));
        Assert.False(Pass(throttle, EventKind.UnknownReceiveError).Passes);
    }

    [Fact]
    public void Interval_IsTenSeconds() => Assert.Equal(TimeSpan.FromSeconds(10), EventThrottle.Interval);

    private static (bool Passes, long Count) Pass(EventThrottle throttle, EventKind kind) =>
        (throttle.TryPass(kind, out long count), count);
}
