using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Placement;

public sealed class LoopbackPlanTests
{
    [Fact]
    public void Make_TwoCores_TakesTheFirstToSendAndTheSecondToReceive()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();

        var plan = LoopbackPlan.Make(CpuFacts.Read(host.RootPath));

        Assert.Equal(
            new PlannedCpu(1, "the loopback has no interrupts; among equal CPUs receivers take the last"),
            Assert.Single(plan.Receivers.Threads));
        Assert.Equal(
            new PlannedCpu(
                0, "the loopback has no interrupts; same last-level cache as CPU 1, where the receiver runs"),
            Assert.Single(plan.Sender.Threads));
        Assert.Empty(plan.Receivers.Warnings);
        Assert.Empty(plan.Sender.Warnings);
    }

    [Fact]
    public void Make_ReceiversTakeAllCpus_SaysOnceThatTheSenderHasNoneLeft()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();

        var plan = LoopbackPlan.Make(CpuFacts.Read(host.RootPath), receiverCount: 2);

        Assert.Equal(
            new PlannedCpu(
                0, "the loopback has no interrupts; no CPU is left other than CPU 0-1, where the receiver runs"),
            Assert.Single(plan.Sender.Threads));
    }

    [Fact]
    public void Make_TwoSockets_TakesTwoCoresOfOneCache()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();

        Assert.Equal((0, 15), NumbersOf(LoopbackPlan.Make(CpuFacts.Read(host.RootPath))));
    }

    [Fact]
    public void Make_OneEndNamed_PlacesTheOtherInItsCache()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();
        CpuFacts cpus = CpuFacts.Read(host.RootPath);

        Assert.Equal((20, 31), NumbersOf(LoopbackPlan.Make(cpus, senderCpu: 20)));
        Assert.Equal((16, 20), NumbersOf(LoopbackPlan.Make(cpus, receiverCpu: 20)));
        Assert.Equal((3, 60), NumbersOf(LoopbackPlan.Make(cpus, senderCpu: 3, receiverCpu: 60)));
    }

    [Fact]
    public void Make_SeveralReceivers_GivesTheSenderACoreOfItsOwn()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();

        var plan = LoopbackPlan.Make(CpuFacts.Read(host.RootPath), receiverCount: 8);

        Assert.Equal(Enumerable.Range(8, 8).Reverse(), plan.Receivers.Threads.Select(static one => one.Number));
        Assert.Equal(0, Assert.Single(plan.Sender.Threads).Number);
    }

    [Fact]
    public void Review_EndsOnOneCore_IsWarnedOf()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();
        CpuFacts cpus = CpuFacts.Read(host.RootPath);

        Assert.Equal(
            ["CPU 1 shares a core with CPU 33, where the receiver runs"], LoopbackPlan.Review(cpus, 1, [33, 5]));
        Assert.Equal(
            ["the receiver runs on CPU 1 too: both ends share its time"], LoopbackPlan.Review(cpus, 1, [1]));
        Assert.Empty(LoopbackPlan.Review(cpus, 0, [1]));
    }

    private static (int Sender, int Receiver) NumbersOf(LoopbackPlan plan) =>
        (Assert.Single(plan.Sender.Threads).Number, Assert.Single(plan.Receivers.Threads).Number);
}
