using Spate.Measurement.HostUse;

namespace Spate.Tests.Measurement.HostUse;

public sealed class CpuAttributionTests
{
    [Fact]
    public void AddThread_PinnedAndFree_CountWhereTheyAre()
    {
        var places = new CpuAttribution();
        places.AddThread(Thread("send", 0, cpu: 5, nanoseconds: 10), pinnedCpu: 2);
        places.AddThread(Thread("receive", 0, cpu: 3, nanoseconds: 7), pinnedCpu: null);
        places.AddThread(Thread("receive", 1, cpu: 3, nanoseconds: 5), pinnedCpu: null);
        places.AddRole(3, CpuAttribution.InterruptRole);
        places.AddRole(null, "nobody");

        Assert.Equal(["send"], places.RolesOf(2));
        Assert.Equal(["interrupts", "receive"], places.RolesOf(3));
        Assert.Empty(places.RolesOf(5));
        Assert.Equal((10, 12, 0), (places.NanosecondsOn(2), places.NanosecondsOn(3), places.NanosecondsOn(9)));
        Assert.Equal((12, 0), (places.MovableNanosecondsBeside(2), places.MovableNanosecondsBeside(3)));
    }

    [Fact]
    public void Add_LaterInterval_SumsByCpuAndByThread()
    {
        var sum = new CpuAttribution();
        Assert.True(sum.MayBeAnywhere);
        for (int cpu = 0; cpu < 3; cpu++)
        {
            var interval = new CpuAttribution();
            interval.AddThread(Thread("receive", 4, cpu, nanoseconds: 100), pinnedCpu: null);
            interval.AddThread(Thread("send", 0, cpu: 1, nanoseconds: 299), pinnedCpu: 1, spins: true);
            sum.Add(interval);
        }

        Assert.False(sum.MayBeAnywhere);
        Assert.Equal(("receive 4", 300), sum.BusiestThread);
        Assert.Equal((100, 997), (sum.NanosecondsOn(0), sum.NanosecondsOn(1)));
        Assert.True(sum.SpinsOn(1));
        Assert.False(sum.SpinsOn(0));
    }

    [Fact]
    public void NanosecondsOn_NothingMeasured_IsNull()
    {
        var places = new CpuAttribution();
        places.AddThread(new ThreadIntervalReport { Role = "send" }, pinnedCpu: 1);

        Assert.Null(places.NanosecondsOn(1));
        Assert.Null(places.BusiestThread);
        Assert.Equal(["send"], places.RolesOf(1));
    }

    private static ThreadIntervalReport Thread(string role, int index, int cpu, long nanoseconds) =>
        new() { Role = role, Index = index, Cpu = cpu, CpuNanoseconds = nanoseconds };
}
