using Spate.HostTuning.Counters;
using Spate.TestHelpers.Hosts;
using Spate.Tests.HostTuning.Checks;

namespace Spate.Tests.HostTuning.Counters;

public sealed class NetworkCounterReaderTests
{
    [Fact]
    public void Read_RecordedTree_GivesTheProtocols()
    {
        NetworkCounters counters = Read();

        Assert.Equal(
            new UdpProtocolCounters
            {
                InDatagrams = 21,
                NoPorts = 22,
                InErrors = 23,
                OutDatagrams = 200,
                RcvbufErrors = 25,
                SndbufErrors = 179,
                InCsumErrors = 27,
                MemErrors = 29,
            },
            counters.Udp4);
        Assert.Equal(
            new IpCounters
            {
                InReceives = 1,
                InHdrErrors = 2,
                InAddrErrors = 3,
                InDiscards = 6,
                InDelivers = 7,
                OutRequests = 200,
                OutDiscards = 179,
                OutNoRoutes = 9,
                ReasmFails = 13,
                FragFails = 15,
                InNoRoutes = 32,
                ReversePathFilter = 31,
                InSegments = 1234,
            },
            counters.Ip4);
        Assert.Equal(RecordedNamespace.Id, counters.NamespaceId);
    }

    [Fact]
    public void Read_RecordedTree_GivesTheProtocolsOfIp6()
    {
        NetworkCounters counters = Read();

        Assert.Equal(
            new IpCounters
            {
                InReceives = 61,
                InHdrErrors = 62,
                InNoRoutes = 64,
                InAddrErrors = 65,
                InDiscards = 66,
                InDelivers = 67,
                OutRequests = 68,
                OutDiscards = 69,
                OutNoRoutes = 70,
                ReasmFails = 71,
                FragFails = 72,
                InSegments = 73 + 74 + 75 + 76,
            },
            counters.Ip6);
        Assert.Equal(
            new UdpProtocolCounters
            {
                InDatagrams = 77,
                NoPorts = 78,
                InErrors = 79,
                OutDatagrams = 80,
                RcvbufErrors = 81,
                SndbufErrors = 82,
                InCsumErrors = 83,
                MemErrors = 84,
            },
            counters.Udp6);
    }

    [Fact]
    public void Read_RecordedTree_AddsUpTheCpus()
    {
        NetworkCounters counters = Read();

        Assert.Equal(new SoftnetCounters { Dropped = 11, Squeezed = 33 }, counters.Softnet);
        Assert.Equal(
            new ConntrackCounters { Drops = 33, EarlyDrops = 4, InsertFailed = 11, Count = 17, Max = 262144 },
            counters.Conntrack);
    }

    [Fact]
    public void Read_RecordedTree_GivesInterfacesAndQueues()
    {
        NetworkCounters counters = Read();

        Assert.Equal(
            [("lo", 1), ("veth0", 2), (@"od\x5cd\x1b[1m", 3)],
            counters.Interfaces.Select(one => (one.Name, one.Index)));
        Assert.Equal(23, counters.Interfaces[1].TxPackets);
        Assert.All(counters.Interfaces, one => Assert.Equal(0, one.RxDropped));
        Assert.Equal(
            [
                Queue("lo", "noqueue", "0:", "root", 0),
                Queue("veth0", "tbf", "1:", "root", 0) with { Packets = 23, Drops = 179, Overlimits = 222 },
                Queue("veth0", "clsact", "ffff:", "ffff:fff1", 0),
            ],
            counters.Queues);
        Assert.Equal([true, true, false], counters.Queues.Select(one => one.IsRoot));
    }

    [Theory]
    [InlineData("veth0", "lo", "veth0 lo", 3)]
    [InlineData("veth0", "veth0", "veth0", 2)]
    [InlineData("nosuch0", "lo", "lo", 1)]
    [InlineData("", "../../lo", "", 0)]
    [InlineData("veth0veth0veth0veth0veth0", "veth", "", 0)]
    public void Read_NamedInterfaces_GivesThoseInTheirOrder(string first, string second, string expected, int queues)
    {
        using FakeHost host = RecordedNamespace.Host();
        using var reader = new NetworkCounterReader([first, second], host.RootPath);

        NetworkCounters counters = reader.Read();

        Assert.Equal(expected, string.Join(' ', counters.Interfaces.Select(one => one.Name)));
        Assert.Equal(queues, counters.Queues.Count);
    }

    [Fact]
    public void Read_EmptyTree_GivesNulls()
    {
        using var host = new FakeHost();
        using var reader = new NetworkCounterReader(rootPath: host.RootPath);

        NetworkCounters counters = reader.Read();

        Assert.Empty(counters.Interfaces);
        Assert.Empty(counters.Queues);
        Assert.Equal(new NetworkCounters { Interfaces = counters.Interfaces, Queues = counters.Queues }, counters);
    }

    [Fact]
    public void Read_OldKernel_LacksWhatItDoesNotCount()
    {
        using FakeHost host = RecordedNamespace.Host()
            .With(RecordedNamespace.Net + "snmp", "Udp: InDatagrams NoPorts InErrors\nUdp: 1 2 3\n")
            .With(RecordedNamespace.Net + "netstat", "IpExt: InNoRoutes InOctets\nIpExt: 4 5\n")
            .With(
                RecordedNamespace.Net + "stat/nf_conntrack",
                "entries  searched found new invalid ignore delete delete_list insert insert_failed drop early_drop\n"
                    + "0000000b  00000001 00000002 0 0 0 0 0 0 0000000c 0000000d 0000000e\n");
        using var reader = new NetworkCounterReader(rootPath: host.RootPath);

        NetworkCounters counters = reader.Read();

        Assert.Equal(new UdpProtocolCounters { InDatagrams = 1, NoPorts = 2, InErrors = 3 }, counters.Udp4);
        Assert.Equal(new IpCounters { InNoRoutes = 4 }, counters.Ip4);
        Assert.Equal((12, 13, 14), (
            counters.Conntrack?.InsertFailed, counters.Conntrack?.Drops, counters.Conntrack?.EarlyDrops));
    }

    [Theory]
    [InlineData("")]
    [InlineData("\n\n\n")]
    [InlineData("Udp:")]
    [InlineData("Udp: InDatagrams\n")]
    [InlineData("Udp: InDatagrams\nUdp:\n")]
    [InlineData("Udp: NoPorts\nUdp: 99999999999999999999\n")]
    [InlineData("Udp: NoPorts\nUdp: x\n")]
    [InlineData("drop\ndrop\n")]
    [InlineData("\0\u00ff\n zz 123456789 x")]
    public void Read_OddFiles_GivesNullsForThem(string content)
    {
        using FakeHost host = RecordedNamespace.Host();
        foreach (string name in (string[])["snmp", "netstat", "snmp6", "softnet_stat", "stat/nf_conntrack"])
        {
            host.With(RecordedNamespace.Net + name, content);
        }

        using var reader = new NetworkCounterReader(rootPath: host.RootPath);

        NetworkCounters counters = reader.Read();

        Assert.Equal(default, counters.Udp4);
        Assert.Equal(default, counters.Udp6);
        Assert.Equal(default, counters.Ip4);
        Assert.Equal(default, counters.Ip6);
        Assert.Equal(default, counters.Softnet);
        Assert.Equal(new ConntrackCounters { Count = 17, Max = 262144 }, counters.Conntrack);
    }

    [Fact]
    public void Read_ThousandsOfCpus_AddsUpAll()
    {
        const int CpuCount = 5000;
        using FakeHost host = RecordedNamespace.Host().With(
            RecordedNamespace.Net + "softnet_stat",
            string.Concat(Enumerable.Repeat("00000000 ffffffff 00000001 00000000 00000000 00000000\n", CpuCount)));
        using var reader = new NetworkCounterReader(rootPath: host.RootPath);

        Assert.Equal(
            new SoftnetCounters { Dropped = CpuCount * (long)uint.MaxValue, Squeezed = CpuCount },
            reader.Read().Softnet);
    }

    [Fact]
    public void Read_AfterDispose_GivesNulls()
    {
        using FakeHost host = RecordedNamespace.Host();
        var recorded = new NetworkCounterReader(rootPath: host.RootPath);
        var live = new NetworkCounterReader();
        recorded.Dispose();
        live.Dispose();

        Assert.Equal(default, recorded.Read().Udp4);
        Assert.Equal(default, live.Read().Udp4);
        Assert.Empty(live.Read().Interfaces);
    }

    [Fact]
    public void Read_ThisMachine_FindsTheLoopback()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the counters are Linux's");
        using var reader = new NetworkCounterReader();
        NetworkCounters first = reader.Read();
        Assert.SkipWhen(first.Udp4.InDatagrams is null, "no /proc is mounted");
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        Assert.Equal(1, socket.SendTo(new byte[10], socket.LocalEndPoint).Sent);

        NetworkCounters difference = reader.Read() - first;

        Assert.InRange(difference.Udp4.OutDatagrams ?? 0, 1, long.MaxValue);
        Assert.InRange(difference.Interfaces.Single(one => one.Name is "lo").TxPackets ?? 0, 1, long.MaxValue);
    }

    private static NetworkCounters Read()
    {
        using FakeHost host = RecordedNamespace.Host();
        using var reader = new NetworkCounterReader(rootPath: host.RootPath);
        return reader.Read();
    }

    private static QueueCounters Queue(string owner, string kind, string handle, string parent, long all) =>
        new(owner, kind, handle, parent)
        {
            Packets = all,
            Drops = all,
            Overlimits = all,
            Requeues = all,
            Qlen = all,
            BacklogBytes = all,
        };
}
