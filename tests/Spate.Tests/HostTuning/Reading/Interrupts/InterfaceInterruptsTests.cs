using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interrupts;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Reading.Interrupts;

public sealed class InterfaceInterruptsTests
{
    [Fact]
    public void Read_Virtio_TakesTheInterruptsOfThePciFunction()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();

        InterfaceInterrupts eth0 = InterfaceInterrupts.Read("eth0", host.RootPath);

        Assert.Equal(
            [(38, "virtio2-input.0", InterruptDirection.Receive), (39, "virtio2-output.0", InterruptDirection.Send)],
            eth0.Interrupts.Select(static one => (one.Number, one.Name, one.Direction)));
        Assert.Equal([0, 1], eth0.CpuNumbers);
        Assert.Null(eth0.Node);
        Assert.Empty(eth0.SteeredCpuNumbers);
    }

    [Fact]
    public void Read_Mlx5_KnowsNodeAndQueuesWithoutTheControlVector()
    {
        using FakeHost host = FakeMachines.TwoSocketMlx5();

        InterfaceInterrupts eth0 = InterfaceInterrupts.Read("eth0", host.RootPath);

        Assert.Equal((1, 16), (eth0.Node, eth0.Interrupts.Count));
        Assert.Equal("16-31", CpuList.Format(eth0.CpuNumbers));
    }

    [Fact]
    public void Read_NoVectors_GoesByTheNamesOfProcInterrupts()
    {
        using FakeHost host = new FakeHost()
            .WithDirectory("sys/class/net/eth0/device")
            .With(
                "proc/interrupts",
                "           CPU0       CPU2       CPU8       \n"
                + " 24:          9          0          0   IO-APIC   5-edge      eth01\n"
                + " 25:          0          1          7   PCI-MSI 524288-edge      eth0-rx-0\n"
                + " 26:          3          2          1   PCI-MSI 524289-edge      eth0-tx-0\n"
                + " 27:          1          2          1   PCI-MSI 524290-edge      eth0\n"
                + "NMI:          0          0          0   Non-maskable interrupts\n"
                + "99999999999999: 1\nERR:          0\n")
            .With("proc/irq/25/smp_affinity_list", "0-8\n")
            .With("proc/irq/26/effective_affinity_list", "2\n");

        InterfaceInterrupts eth0 = InterfaceInterrupts.Read("eth0", host.RootPath);

        Assert.Equal("eth0-rx-0 eth0-tx-0", string.Join(' ', eth0.Interrupts.Select(static one => one.Name)));
        Assert.Equal([8], eth0.Interrupts[0].CpuNumbers);
        Assert.Equal([2], eth0.Interrupts[1].CpuNumbers);
    }

    [Fact]
    public void Read_Rps_UnitesTheQueuesMasks()
    {
        using FakeHost host = new FakeHost()
            .With("sys/class/net/eth0/queues/rx-0/rps_cpus", "00000001,00000000\n")
            .With("sys/class/net/eth0/queues/rx-1/rps_cpus", "5\n")
            .With("sys/class/net/eth0/queues/rx-2/rps_cpus", "xyz\n")
            .With("sys/class/net/eth0/queues/tx-0/rps_cpus", "80\n");

        Assert.Equal([0, 2, 32], InterfaceInterrupts.Read("eth0", host.RootPath).SteeredCpuNumbers);
    }

    [Fact]
    public void Read_Bond_HasItsMembersInterruptsAndEndsInALoop()
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio()
            .WithLink("sys/class/net/bond0/lower_eth0", "../eth0")
            .WithLink("sys/class/net/bond0/lower_bond0", "../bond0");

        InterfaceInterrupts bond = InterfaceInterrupts.Read("bond0", host.RootPath);

        Assert.Equal(("bond0", 2), (bond.Name, bond.Interrupts.Count));
    }

    [Theory]
    [InlineData("lo")]
    [InlineData("")]
    [InlineData("..")]
    [InlineData("../../etc")]
    [InlineData("a-name-that-is-too-long")]
    public void Read_NoInterface_IsEmpty(string name)
    {
        using FakeHost host = FakeMachines.TwoCoreVirtio();

        InterfaceInterrupts none = InterfaceInterrupts.Read(name, host.RootPath);

        Assert.Empty(none.Interrupts);
        Assert.Empty(none.CpuNumbers);
        Assert.Null(none.Node);
    }

    [Theory]
    [InlineData("../../../../../../etc")]
    [InlineData("/etc")]
    public void Read_LinkOutOfTheTree_IsNotFollowed(string target)
    {
        using FakeHost host = new FakeHost()
            .WithLink("sys/class/net/eth0", target)
            .With("etc/device/msi_irqs/7", "msix\n")
            .With("etc/queues/rx-0/rps_cpus", "ff\n");

        InterfaceInterrupts eth0 = InterfaceInterrupts.Read("eth0", host.RootPath);

        Assert.Empty(eth0.Interrupts);
        Assert.Empty(eth0.SteeredCpuNumbers);
    }

    [Theory]
    [InlineData("virtio3-input.1", InterruptDirection.Receive)]
    [InlineData("virtio3-output.1", InterruptDirection.Send)]
    [InlineData("eth0-TxRx-3", InterruptDirection.Both)]
    [InlineData("ens5-Tx-Rx-0", InterruptDirection.Both)]
    [InlineData("eth0-rx-0", InterruptDirection.Receive)]
    [InlineData("eth0-q0-tx", InterruptDirection.Send)]
    [InlineData("mlx5_comp3@pci:0000:81:00.0", InterruptDirection.Both)]
    [InlineData("matrix0", InterruptDirection.Both)]
    internal void DirectionOf_Name_TellsWhatTheDriverSays(string name, InterruptDirection expected) =>
        Assert.Equal(expected, InterruptNames.DirectionOf(name));
}
