using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Tests.Cli.Iperf.Iperf2.Ends;

/// <summary>The figures as iperf 2 has them, with their faults.</summary>
public sealed class Iperf2CountersTests
{
    [Fact]
    public void Add_InOrder_LosesNothing() =>
        Assert.Equal(new IperfCounts(400, Lost: 0, Total: 4, OutOfOrder: 0, 0), Count(1, 2, 3, 4));

    [Fact]
    public void Add_GapAndLate_TakesTheLateFromTheLoss() =>
        Assert.Equal(new IperfCounts(400, Lost: 1, Total: 5, OutOfOrder: 1, 0), Count(1, 4, 2, 5));

    [Fact]
    public void Add_Copy_CancelsALoss() =>
        Assert.Equal(new IperfCounts(300, Lost: 0, Total: 3, OutOfOrder: 1, 0), Count(1, 3, 3));

    [Fact]
    public void Add_HeadLost_CountsIt() =>
        Assert.Equal(new IperfCounts(100, Lost: 9, Total: 10, OutOfOrder: 0, 0), Count(10));

    [Fact]
    public void Add_NumberZeroOfOldClients_IsNoReordering() =>
        Assert.Equal(new IperfCounts(200, Lost: 0, Total: 1, OutOfOrder: 0, 0), Count(0, 1));

    [Fact]
    public void Since_EarlierState_HasTheDifference()
    {
        var counters = new Iperf2Counters();
        counters.Add(1, 100);
        Iperf2Counters earlier = counters;
        counters.Add(4, 50);

        Assert.Equal(new IperfCounts(50, Lost: 2, Total: 3, OutOfOrder: 0, 0), counters.Since(earlier));
    }

    [Fact]
    public void AddTransit_VaryingDelay_FollowsRfc1889()
    {
        var counters = new Iperf2Counters();
        counters.AddTransit(sentNanoseconds: 1_000_000, arrivalNanoseconds: 0);
        counters.AddTransit(sentNanoseconds: 2_000_000, arrivalNanoseconds: 1_160_000);
        counters.AddTransit(sentNanoseconds: 3_000_000, arrivalNanoseconds: 2_160_000);

        // 160 us / 16 = 10 us, then 10 us - 10 us / 16.
        Assert.Equal(9.375e-6, counters.Since(default).JitterSeconds, 1e-12);
    }

    private static IperfCounts Count(params long[] numbers)
    {
        var counters = new Iperf2Counters();
        foreach (long number in numbers) counters.Add(number, 100);
        return counters.Since(default);
    }
}
