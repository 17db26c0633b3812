using Spate.Measurement.Serving;

namespace Spate.Tests.Measurement.Serving;

public sealed class ServeTallyTests
{
    [Fact]
    public void TakeInterval_AfterCalls_TellsThoseSinceTheLastOne()
    {
        var tally = new ServeTally();
        Assert.Null(tally.TakeInterval());

        Count(tally, 5, 1, 9);
        Assert.Equal((1, 9), tally.TakeInterval());
        Assert.Null(tally.TakeInterval());
        Assert.Null(tally.TakeInterval());

        Count(tally, 4);
        Count(tally, 6);
        Assert.Equal((4, 6), tally.TakeInterval());
        Assert.Equal((1, 9), (tally.MinPerCall, tally.MaxPerCall));
    }

    private static void Count(ServeTally tally, params int[] calls)
    {
        foreach (int datagrams in calls) tally.CountCall(datagrams, datagrams, 1, 1, nowTicks: 1);
    }
}
