using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.HostUse;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.Measurement.HostUse;

/// <summary>The links of recorded <c>/sys</c> trees: speed, queues and interrupts that belong together.</summary>
public sealed class LinkMeterTests : IDisposable
{
    private readonly FakeHost _host = new();
    private readonly Dictionary<int, long> _interrupts = [];

    [Fact]
    public void Report_Card_HasItsOwnQueuesAndThoseInUse()
    {
        AddCard("eth0", function: 3, node: 0, queueCount: 4, firstInterrupt: 30);
        var meter = new LinkMeter([Facts("eth0", 1500)], _host.RootPath);
        Raise(30, 32);

        LinkReport link = Assert.Single(meter.Report());

        Assert.Equal(("eth0", 1500, 25_000_000_000L), (link.Interface, link.MtuBytes, link.SpeedBitsPerSecond));
        Assert.Equal(["eth0"], link.Devices);
        Assert.Equal((4, 2, 4), (link.ReceiveQueues, link.ReceiveQueuesInUse, link.SendQueues));
        Assert.Equal((0, "0-3"), (link.Node, link.InterruptCpuList));
    }

    [Fact]
    public void Report_BondOfTwoCards_SumsTheirQueuesAndNamesThem()
    {
        AddCard("eth0", function: 3, node: 1, queueCount: 8, firstInterrupt: 30);
        AddCard("eth1", function: 4, node: 1, queueCount: 4, firstInterrupt: 40);
        AddAbove("bond0", "50000", ["eth0", "eth1"], receiveQueues: 16, sendQueues: 16);
        var meter = new LinkMeter([Facts("bond0", 9000)], _host.RootPath);
        Raise(30, 31, 43);

        LinkReport link = Assert.Single(meter.Report());

        Assert.Equal(("bond0", 9000, 50_000_000_000L), (link.Interface, link.MtuBytes, link.SpeedBitsPerSecond));
        Assert.Equal(["eth0", "eth1"], link.Devices.Order(StringComparer.Ordinal), StringComparer.Ordinal);
        Assert.Equal((12, 3, 12), (link.ReceiveQueues, link.ReceiveQueuesInUse, link.SendQueues));
        Assert.Equal((1, "0-7"), (link.Node, link.InterruptCpuList));
    }

    [Fact]
    public void Report_BondOfCardsOnTwoNodes_HasNoNode()
    {
        AddCard("eth0", function: 3, node: 0, queueCount: 1, firstInterrupt: 30);
        AddCard("eth1", function: 4, node: 1, queueCount: 1, firstInterrupt: 40);
        AddAbove("bond0", "50000", ["eth0", "eth1"], receiveQueues: 16, sendQueues: 16);

        Assert.Null(Assert.Single(new LinkMeter([Facts("bond0", 1500)], _host.RootPath).Report()).Node);
    }

    [Fact]
    public void Report_VlanOnACard_NeverUsesMoreQueuesThanThereAre()
    {
        AddCard("eth0", function: 3, node: 0, queueCount: 8, firstInterrupt: 30);
        AddAbove("eth0.5", "25000", ["eth0"], receiveQueues: 1, sendQueues: 1);
        var meter = new LinkMeter([Facts("eth0.5", 1496)], _host.RootPath);
        Raise(30, 31, 32, 33, 34);

        LinkReport link = Assert.Single(meter.Report());

        Assert.Equal((25_000_000_000L, 1496), (link.SpeedBitsPerSecond, link.MtuBytes));
        Assert.Equal(["eth0"], link.Devices);
        Assert.Equal((8, 5, 8), (link.ReceiveQueues, link.ReceiveQueuesInUse, link.SendQueues));
    }

    [Theory]
    [InlineData("veth0", "10000\n", 10_000_000_000L)]
    [InlineData("lo", "", null)]
    public void Report_InterfaceWithoutADevice_HasItsOwnQueuesAndNoInterrupts(string name, string speed, long? bits)
    {
        _host.With($"sys/devices/virtual/net/{name}/speed", speed)
            .WithLink($"sys/class/net/{name}", $"../../devices/virtual/net/{name}")
            .WithDirectory($"sys/devices/virtual/net/{name}/queues/rx-0")
            .WithDirectory($"sys/devices/virtual/net/{name}/queues/tx-0")
            .With($"sys/devices/virtual/net/{name}/queues/rx-0/rps_cpus", "2\n");
        var meter = new LinkMeter([Facts(name, 1500)], _host.RootPath);
        var places = new CpuAttribution();
        meter.AddTo(places);

        LinkReport link = Assert.Single(meter.Report());

        Assert.Equal((bits, 1, null, 1), (
            link.SpeedBitsPerSecond, link.ReceiveQueues, link.ReceiveQueuesInUse, link.SendQueues));
        Assert.Empty(link.Devices);
        Assert.Equal((null, ""), (link.Node, link.InterruptCpuList));
        Assert.Equal([CpuAttribution.InterruptRole], places.RolesOf(1));
    }

    [Fact]
    public void Report_NoSysfs_HasTheNameAndTheMtuOnly()
    {
        LinkReport link = Assert.Single(new LinkMeter([Facts("eth0", 1500)], _host.RootPath).Report());

        Assert.Equal(
            new LinkReport { Interface = "eth0", MtuBytes = 1500, Devices = [] },
            link with { Devices = [] });
        Assert.Empty(link.Devices);
    }

    public void Dispose() => _host.Dispose();

    private static InterfaceFacts Facts(string name, int mtuBytes) => new(name, IsUp: true, false, mtuBytes, []);

    /// <summary>A card whose queues each have an interrupt; that of queue n is handled by CPU n.</summary>
    private void AddCard(string name, int function, int node, int queueCount, int firstInterrupt)
    {
        string device = $"sys/devices/pci0000:00/0000:00:{function:00}.0";
        _host.WithLink($"sys/class/net/{name}", $"../../devices/pci0000:00/0000:00:{function:00}.0/net/{name}")
            .WithLink($"{device}/net/{name}/device", $"../../../0000:00:{function:00}.0")
            .With($"{device}/net/{name}/speed", "25000\n")
            .With($"{device}/numa_node", $"{node}\n");
        for (int queue = 0; queue < queueCount; queue++)
        {
            int number = firstInterrupt + queue;
            _host.WithDirectory($"{device}/net/{name}/queues/rx-{queue}")
                .WithDirectory($"{device}/net/{name}/queues/tx-{queue}")
                .With($"{device}/msi_irqs/{number}", "msix\n");
            FakeMachines.Interrupt(_host, number, $"{name}-TxRx-{queue}", $"{queue}");
            _interrupts[number] = 1000;
        }

        Raise();
    }

    private void AddAbove(string name, string speed, string[] below, int receiveQueues, int sendQueues)
    {
        string path = $"sys/devices/virtual/net/{name}";
        _host.WithLink($"sys/class/net/{name}", $"../../devices/virtual/net/{name}").With($"{path}/speed", speed);
        foreach (string lower in below) _host.WithLink($"{path}/lower_{lower}", $"../{lower}");
        for (int i = 0; i < receiveQueues; i++) _host.WithDirectory($"{path}/queues/rx-{i}");
        for (int i = 0; i < sendQueues; i++) _host.WithDirectory($"{path}/queues/tx-{i}");
    }

    /// <summary>Lets interrupts come once more, and writes all counts.</summary>
    private void Raise(params int[] numbers)
    {
        foreach (int number in numbers) _interrupts[number]++;
        _host.With("proc/interrupts", "            CPU0       CPU1\n" + string.Concat(
            _interrupts.Select(static one => $"{one.Key,4}: {one.Value,10} {5,10}  PCI-MSI {one.Key}-edge  queue\n")));
    }
}
