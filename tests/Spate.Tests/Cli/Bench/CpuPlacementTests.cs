using Spate.Cli.Bench;
using Spate.Cli.Shell;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.Tests.Cli.Bench;

public sealed class CpuPlacementTests
{
    [Fact]
    public void Choose_NothingNamed_TakesThePlanForTheLoopback()
    {
        CpuFacts cpus = CpuFacts.Read();
        Assert.SkipUnless(OperatingSystem.IsLinux() && cpus.UsableNumbers.Count > 1, "two CPUs of Linux are needed");
        var plan = LoopbackPlan.Make(cpus);

        var placement = CpuPlacement.Choose(senderCpu: null, receiverCpu: null);

        Assert.Equal(plan.Sender.Threads[0].Number, placement.SenderCpu);
        Assert.Equal(plan.Receivers.Threads[0].Number, placement.ReceiverCpu);
        Assert.NotEqual(placement.SenderCpu, placement.ReceiverCpu);
        Assert.Equal(
            $"sender on CPU {placement.SenderCpu}, receiver on CPU {placement.ReceiverCpu}", placement.Note);
    }

    [Fact]
    public void Choose_OneCpuForBoth_SaysThatTheyShareIt()
    {
        IReadOnlyList<int> usable = CpuFacts.Read().UsableNumbers;
        Assert.SkipUnless(OperatingSystem.IsLinux() && usable.Count > 1, "two CPUs of Linux are needed");

        var placement = CpuPlacement.Choose(usable[1], usable[1]);

        Assert.Equal((usable[1], usable[1]), (placement.SenderCpu, placement.ReceiverCpu));
        Assert.Equal($"sender and receiver share CPU {usable[1]}, as requested", placement.Note);
    }

    [Fact]
    public void Choose_NoSuchCpu_NamesThoseThereAre()
    {
        string message = Assert.Throws<BenchException>(() => CpuPlacement.Choose(0, 65_000)).Message;

        Assert.Contains("65000", message, StringComparison.Ordinal);
    }
}
