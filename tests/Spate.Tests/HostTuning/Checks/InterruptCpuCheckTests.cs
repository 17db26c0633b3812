using Spate.HostTuning.Checks;
using Spate.HostTuning.Settings;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

public sealed class InterruptCpuCheckTests
{
    [Fact]
    public void Examine_QueuesOnTheCardsNode_IsOk()
    {
        using FakeHost host = WithRoute(FakeMachines.TwoSocketMlx5());

        CheckFinding finding = Assert.Single(RecordedReadings.Of(host).Examine("interrupt-cpus"));

        Assert.Equal((CheckStatus.Ok, "eth0"), (finding.Status, finding.Interface));
        Assert.Equal("16 interrupts on CPUs 16-31", finding.Found);
    }

    [Fact]
    public void Examine_AllQueuesOnOneCpu_SpreadsThemOverTheNode()
    {
        using FakeHost host = WithRoute(FakeMachines.TwoSocketMlx5(cpuCount: 1));

        CheckFinding finding = Assert.Single(RecordedReadings.Of(host).Examine("interrupt-cpus"));

        Assert.Equal((CheckStatus.Advice, "16 interrupts on CPUs 16"), (finding.Status, finding.Found));
        Assert.Equal(16, finding.Changes.Count);
        Assert.Equal(
            new HostChange(new FileSetting("proc/irq/101/smp_affinity_list"), "0-63", "16"), finding.Changes[0]);
        Assert.Equal(
            new HostChange(new FileSetting("proc/irq/116/smp_affinity_list"), "0-63", "31"), finding.Changes[15]);
        Assert.StartsWith(
            "echo 16 > /proc/irq/101/smp_affinity_list && echo 17 > ", finding.Command, StringComparison.Ordinal);
        Assert.Equal("for n in $(seq 101 116); do echo 0-63 > /proc/irq/$n/smp_affinity_list; done", finding.Undo);
    }

    [Fact]
    public void Examine_QueuesOnTwoCpus_IsOk()
    {
        using FakeHost host = WithRoute(FakeMachines.TwoSocketMlx5(cpuCount: 2));

        CheckFinding finding = Assert.Single(RecordedReadings.Of(host).Examine("interrupt-cpus"));

        Assert.Equal(CheckStatus.Ok, finding.Status);
    }

    [Fact]
    public void Examine_InterruptOnAnotherNode_MovesItToTheCardsNode()
    {
        using FakeHost host = WithRoute(FakeMachines.TwoSocketMlx5());
        FakeMachines.Interrupt(host, 105, "mlx5_comp4@pci:0000:81:00.0", "3");

        CheckFinding finding = Assert.Single(RecordedReadings.Of(host).Examine("interrupt-cpus"));

        Assert.Equal((CheckStatus.Advice, "CPUs of node 1: 16-31,48-63"), (finding.Status, finding.Wanted));
        Assert.Contains(
            new HostChange(new FileSetting("proc/irq/105/smp_affinity_list"), "0-63", "20"), finding.Changes);
    }

    [Fact]
    public void Examine_ProcessOnTheInterruptsCpuOnly_NamesAFreeOne()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();
        FakeMachines.Interrupt(host, 39, "virtio2-output.0", "1");
        host.With("proc/self/status", "Name:\tx\nCpus_allowed_list:\t1\n");

        CheckFinding finding = Assert.Single(RecordedReadings.Of(host).Examine("interrupt-cpus"));

        Assert.Equal((CheckStatus.Advice, "taskset -c 0 PROGRAM"), (finding.Status, finding.Command));
        Assert.Empty(finding.Changes);
    }

    [Fact]
    public void Examine_NoInterruptsShown_IsUnknownAndWithoutADeviceNothing()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();
        Directory.Delete(Path.Combine(host.RootPath, "proc/irq"), recursive: true);
        Directory.Delete(
            Path.Combine(host.RootPath, "sys/devices/pci0000:00/0000:00:03.0/msi_irqs"), recursive: true);
        using var bare = WithRoute(new FakeHost());

        Assert.Equal(
            CheckStatus.Unknown, Assert.Single(RecordedReadings.Of(host).Examine("interrupt-cpus")).Status);
        Assert.Empty(RecordedReadings.Of(bare).Examine("interrupt-cpus"));
    }

    private static FakeHost WithRoute(FakeHost host) => host.With(
        "proc/net/route", "Iface\tDestination\n" + "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n");
}
