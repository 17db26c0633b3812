using Spate.Measurement.HostUse;

namespace Spate.Tests.Measurement.HostUse;

public sealed class CallCountersTests
{
    [Fact]
    public void TakeInterval_AfterCalls_TellsThoseSinceTheLastOne()
    {
        var counters = new CallCounters();
        Assert.Null(counters.TakeInterval());

        Count(counters, 5, 1, 9);
        Assert.Equal((1, 9), counters.TakeInterval());
        Assert.Null(counters.TakeInterval());
        Assert.Null(counters.TakeInterval());

        Count(counters, 4);
        Count(counters, 6);
        Assert.Equal((4, 6), counters.TakeInterval());
        Assert.Equal((1, 9), (counters.MinPerCall, counters.MaxPerCall));
        Assert.Equal((25, 5), (counters.Datagrams, counters.Calls));
    }

    private static void Count(CallCounters counters, params int[] calls)
    {
        foreach (int datagrams in calls) counters.Count(datagrams);
    }
}
