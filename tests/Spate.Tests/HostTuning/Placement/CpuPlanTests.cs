using System.Net;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Placement;

public sealed class CpuPlanTests
{
    [Fact]
    public void Make_VirtioReceiver_TakesTheCpuWithoutArrivals()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();

        CpuPlan plan = Plan(host, threadCount: 1, isReceiver: true);

        PlannedCpu thread = Assert.Single(plan.Threads);
        Assert.Equal(0, thread.Number);
        Assert.Equal(
            "same last-level cache as the interrupts of eth0 (CPU 1), serves only those for sending", thread.Why);
        Assert.Empty(plan.Warnings);
    }

    [Fact]
    public void Make_VirtioSender_TakesTheCpuWithoutCompletions() =>
        Assert.Equal([1], WithVirtio(threadCount: 1, isReceiver: false).Threads.Select(static one => one.Number));

    [Fact]
    public void Make_NoCpuLeft_SharesWithInterruptsAndSaysSo()
    {
        CpuPlan plan = WithVirtio(threadCount: 3, isReceiver: true);

        Assert.Equal([0, 1, 0], plan.Threads.Select(static one => one.Number));
        Assert.Contains("no CPU without interrupts is left", plan.Threads[1].Why, StringComparison.Ordinal);
        Assert.Contains("with other threads of the test", plan.Threads[2].Why, StringComparison.Ordinal);
        Assert.Equal(
            [
                "3 threads share CPUs 0-1: this process may use no other CPU",
                "CPU 1 also handles interrupts of eth0: that takes time from the threads there",
            ],
            plan.Warnings);
    }

    [Fact]
    public void Make_SixteenQueues_StaysOnTheirNodeBesideThem()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();

        CpuPlan plan = Plan(host, threadCount: 4, isReceiver: true);

        // Every core of node 1 serves a queue: a sibling there comes before a quiet core on the other node.
        Assert.Equal([63, 62, 61, 60], plan.Threads.Select(static one => one.Number));
        Assert.Equal(
            ["CPUs 60-63 share cores with CPUs 28-31, which handle interrupts of eth0"], plan.Warnings);
    }

    [Fact]
    public void Make_EightQueues_TakesQuietCoresOfTheCacheThenLeaves()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5(cpuCount: 8);

        CpuPlan plan = Plan(host, threadCount: 24, isReceiver: false);

        int[] numbers = [.. plan.Threads.Select(static one => one.Number)];
        Assert.Equal(Enumerable.Range(24, 8), numbers[..8]);
        Assert.Equal(Enumerable.Range(48, 8), numbers[8..16]);
        Assert.Equal(Enumerable.Range(0, 8), numbers[16..]);
        Assert.Equal(
            "same last-level cache as the interrupts of eth0 (CPU 16-23), serves none of them", plan.Threads[0].Why);
        Assert.StartsWith("on another NUMA node than", plan.Threads[^1].Why, StringComparison.Ordinal);
    }

    [Fact]
    public void Make_RpsEverywhereOnTheNode_PrefersThoseToInterruptCpus()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .With("sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth0/queues/rx-1/rps_cpus", "3\n");

        CpuPlan plan = Plan(host, threadCount: 1, isReceiver: true);

        Assert.Equal(0, plan.Threads[0].Number);
        Assert.EndsWith("takes arrivals by RPS but no interrupts", plan.Threads[0].Why, StringComparison.Ordinal);
        Assert.Equal(
            ["CPU 0 also handles arrivals of eth0 (RPS): that takes time from the threads there"], plan.Warnings);
    }

    [Fact]
    public void Make_QuotaOfOneCpu_WarnsOfTheThreadsBeyond()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio().With("sys/fs/cgroup/cpu.max", "100000 100000\n");

        Assert.Empty(Plan(host, threadCount: 1, isReceiver: true).Warnings);
        Assert.StartsWith(
            "the control group grants 1 CPU(s) for 2 thread(s)",
            Plan(host, threadCount: 2, isReceiver: true).Warnings[0],
            StringComparison.Ordinal);
    }

    [Fact]
    public void Make_OnlyOneCpuAllowed_UsesItAndSaysSo()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio().With("proc/self/status", "Cpus_allowed_list:\t1\n");

        CpuPlan plan = Plan(host, threadCount: 1, isReceiver: true);

        Assert.Equal(1, Assert.Single(plan.Threads).Number);
        Assert.Contains("CPU 1 is the only CPU", plan.Warnings[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Make_FastAndSlowCores_TakesFastOnes()
    {
        CpuInfo[] all = [.. Enumerable.Range(0, 4).Select(static number =>
            new CpuInfo(number, number, 0, 0, Usable: true) { MaximumKilohertz = number < 2 ? 3_800_000 : 5_000_000 })];
        var cpus = new CpuFacts { ModelName = null, All = all, QuotaCpus = null };

        CpuPlan plan = CpuPlan.Make(
            cpus, new CpuPlanOptions { ThreadCount = 3, IsReceiver = false, IsLoopback = true });

        Assert.Equal([2, 3, 0], plan.Threads.Select(static one => one.Number));
    }

    [Fact]
    public void Make_LoopbackOnTwoSockets_PutsBothEndsIntoOneCacheOnCoresOfTheirOwn()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();
        CpuFacts cpus = CpuFacts.Read(host.RootPath);
        var request = new CpuPlanOptions { ThreadCount = 8, IsReceiver = true, IsLoopback = true };

        int[] receivers = [.. CpuPlan.Make(cpus, request).Threads.Select(static one => one.Number)];
        CpuPlan senders = CpuPlan.Make(cpus, request with { IsReceiver = false, OtherEndCpus = receivers });

        Assert.Equal(Enumerable.Range(8, 8).Reverse(), receivers);
        Assert.Equal(Enumerable.Range(0, 8), senders.Threads.Select(static one => one.Number));
        Assert.Empty(senders.Warnings);
    }

    [Fact]
    public void Make_NothingKnown_StillPlaces()
    {
        using var host = new FakeHost();

        CpuPlan plan = Plan(host, threadCount: 1, isReceiver: true);

        Assert.Equal(Environment.ProcessorCount - 1, Assert.Single(plan.Threads).Number);
        Assert.Contains("are not visible here", plan.Threads[0].Why, StringComparison.Ordinal);
    }

    [Fact]
    public void Make_NoThread_IsRefused() => Assert.Throws<ArgumentOutOfRangeException>(
        static () => WithVirtio(threadCount: 0, isReceiver: true));

    [Fact]
    public void Review_NamedCpus_WarnsOfInterruptsAndOtherEnd()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();
        CpuFacts cpus = CpuFacts.Read(host.RootPath);
        CpuPlanOptions request = Request(host, 3, isReceiver: false) with { OtherEndCpus = [2, 3] };

        Assert.Equal(
            [
                "CPU 16 also handles interrupts of eth0: that takes time from the threads there",
                "CPU 48 shares a core with CPU 16, which handles interrupts of eth0",
                "the receiver runs on CPU 2 too: both ends share its time",
                "CPU 35 shares a core with CPU 3, where the receiver runs",
            ],
            CpuPlan.Review(cpus, request, [16, 48, 2, 35]));
        Assert.Empty(CpuPlan.Review(cpus, request, [5, 6]));
    }

    private static CpuPlan WithVirtio(int threadCount, bool isReceiver)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();
        return Plan(host, threadCount, isReceiver);
    }

    private static CpuPlan Plan(FakeHost host, int threadCount, bool isReceiver) =>
        CpuPlan.Make(CpuFacts.Read(host.RootPath), Request(host, threadCount, isReceiver));

    private static CpuPlanOptions Request(FakeHost host, int threadCount, bool isReceiver) => PlacementSurvey.Read(
        CpuFacts.Read(host.RootPath),
        [new IPEndPoint(IPAddress.Parse("192.0.2.2"), 9999)],
        threadCount,
        isReceiver,
        FakeMachines.Interfaces,
        host.RootPath);
}
