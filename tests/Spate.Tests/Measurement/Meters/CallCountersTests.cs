using Spate.Measurement.Meters;

namespace Spate.Tests.Measurement.Meters;

public sealed class CallTallyTests
{
    [Fact]
    public void TakeInterval_AfterCalls_TellsThoseSinceTheLastOne()
    {
        var tally = new CallTally();
        Assert.Null(tally.TakeInterval());

        Count(tally, 5, 1, 9);
        Assert.Equal((1, 9), tally.TakeInterval());
        Assert.Null(tally.TakeInterval());
        Assert.Null(tally.TakeInterval());

        Count(tally, 4);
        Count(tally, 6);
        Assert.Equal((4, 6), tally.TakeInterval());
        Assert.Equal((1, 9), (tally.MinPerCall, tally.MaxPerCall));
        Assert.Equal((25, 5), (tally.Datagrams, tally.Calls));
    }

    private static void Count(CallTally tally, params int[] calls)
    {
        foreach (int datagrams in calls) tally.Count(datagrams);
    }
}
