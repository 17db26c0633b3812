using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using Spate.HostTuning.Counters;

namespace Spate.HostTests.Namespaces;

/// <summary>The counters of namespaces against what the system's own commands print.</summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class CountersOfANamespaceTests : IDisposable
{
    private const int DatagramCount = 2000;
    private const int PayloadBytes = 1400;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    private readonly NetworkNamespace _near = new();
    private readonly NetworkNamespace _far = new();

    public CountersOfANamespaceTests() => NetworkNamespace.Join(_near, "10.79.0.1/24", _far, "10.79.0.2/24");

    public void Dispose()
    {
        _near.Dispose();
        _far.Dispose();
    }

    [Fact]
    public void Queues_BucketThatOverflows_AreThoseOfTc()
    {
        Programs.Require("tc", "iproute2");
        _near.Execute("tc qdisc add dev veth0 root handle 77: tbf rate 8mbit burst 10kb limit 30kb");
        using UdpSocket sender = _near.Bind("10.79.0.1:0");
        using UdpSocket receiver = _far.Bind("10.79.0.2:0");
        using NetworkCounterReader reader = Open(_near, "veth0");
        NetworkCounters before = reader.Read();

        SendAll(sender, receiver.LocalEndPoint);

        Assert.True(SpinWait.SpinUntil(() => reader.Read().Queues[0].Qlen == 0, Patience), "The queue did not empty.");

        // Neighbour discovery passes the queue too.
        (NetworkCounters after, JsonNode told) = ReadTogether(
            reader,
            () => Json(_near.Execute("tc -s -j qdisc show dev veth0"))[0]!,
            static (one, other) => one.Queues[0] == other.Queues[0]);

        QueueCounters queue = Assert.Single(after.Queues);
        Assert.Equal(
            new QueueCounters("veth0", "tbf", "77:", "root")
            {
                Packets = Number(told, "packets"),
                Drops = Number(told, "drops"),
                Overlimits = Number(told, "overlimits"),
                Requeues = Number(told, "requeues"),
                Qlen = Number(told, "qlen"),
                BacklogBytes = Number(told, "backlog"),
            },
            queue);
        NetworkCounters difference = after - before;
        Assert.InRange(Assert.Single(difference.Queues).Drops ?? 0, DatagramCount / 2, DatagramCount);
        Assert.Equal(DatagramCount, difference.Ip4.OutRequests);
    }

    [Fact]
    public void Queues_OneBelowAnother_AreThoseOfTcAndTheRootHasAllDrops()
    {
        Programs.Require("tc", "iproute2");
        _near.Execute("tc qdisc add dev veth0 root handle 5: tbf rate 8mbit burst 10kb limit 30kb");
        _near.Execute("tc qdisc add dev veth0 parent 5:1 handle 6a: pfifo limit 10");
        _near.Execute("tc qdisc add dev veth0 clsact");
        using UdpSocket sender = _near.Bind("10.79.0.1:0");
        using UdpSocket receiver = _far.Bind("10.79.0.2:0");
        using NetworkCounterReader reader = Open(_near);
        SendAll(sender, receiver.LocalEndPoint);

        IEnumerable<string> told = Json(_near.Execute("tc -s -j qdisc show")).AsArray().Select(one =>
            $"{one!["dev"]} {one["kind"]} {one["handle"]} {(one["root"] is null ? one["parent"] : "root")}");

        IReadOnlyList<QueueCounters> queues = reader.Read().Queues;
        Assert.Equal(
            string.Join('\n', told),
            string.Join('\n', queues.Select(one => $"{one.Interface} {one.Kind} {one.Handle} {one.Parent}")));
        QueueCounters root = queues.Single(one => one is { Interface: "veth0", IsRoot: true });
        QueueCounters below = queues.Single(one => one.Handle is "6a:");
        Assert.InRange(below.Drops ?? 0, 1, DatagramCount);
        Assert.Equal(root.Drops, below.Drops);
    }

    [Fact]
    public void Protocols_TrafficOfAllKinds_AreThoseOfNstat()
    {
        Programs.Require("nstat", "iproute2");
        foreach (string address in (string[])["127.0.0.1", "[::1]"])
        {
            using UdpSocket sender = _near.Bind($"{address}:0");
            using UdpSocket full = _near.Bind(
                $"{address}:0", new UdpSocketOptions { ReceiveBufferBytes = 4096, CoalescedReceive = false });
            SendAll(sender, full.LocalEndPoint);
            sender.SendTo(new byte[10], UdpEndPoint.Parse($"{address}:9"));
        }

        using NetworkCounterReader reader = Open(_near);

        // Neighbour discovery of the interfaces goes on.
        (NetworkCounters counters, JsonNode told) = ReadTogether(
            reader,
            () => Json(_near.Execute("nstat -asz -j"))["kernel"]!,
            static (one, other) => (one.Ip4, one.Ip6) == (other.Ip4, other.Ip6));

        Assert.Equal(Udp(told, "Udp"), counters.Udp4);
        Assert.Equal(Udp(told, "Udp6"), counters.Udp6);
        Assert.Equal(
            Ip(told, "Ip") with
            {
                InNoRoutes = Number(told, "IpExtInNoRoutes"),
                ReversePathFilter = Number(told, "TcpExtIPReversePathFilter"),
                InSegments = Segments(told, "IpExt"),
            },
            counters.Ip4);
        Assert.Equal(
            Ip(told, "Ip6") with { InNoRoutes = Number(told, "Ip6InNoRoutes"), InSegments = Segments(told, "Ip6") },
            counters.Ip6);
        Assert.InRange(counters.Udp4.RcvbufErrors ?? 0, 1, DatagramCount);
        Assert.InRange(counters.Udp6.RcvbufErrors ?? 0, 1, DatagramCount);
        Assert.Equal((1, 1), (counters.Udp4.NoPorts, counters.Udp6.NoPorts));
    }

    [Fact]
    public void Interfaces_AfterTraffic_AreThoseOfIp()
    {
        using UdpSocket sender = _near.Bind("10.79.0.1:0");
        using UdpSocket receiver = _far.Bind("10.79.0.2:0");
        using NetworkCounterReader reader = Open(_far);
        SendAll(sender, receiver.LocalEndPoint);
        (NetworkCounters counters, JsonNode told) = ReadTogether(
            reader,
            () => Json(_far.Execute("ip -s -s -j link")),
            static (one, other) => one.Interfaces.SequenceEqual(other.Interfaces));

        InterfaceCounters[] expected =
            [.. told.AsArray().Select(one => Link(one!["ifname"]!.ToString(), (int)one["ifindex"]!, one["stats64"]!))];
        InterfaceCounters[] read = [.. counters.Interfaces.Select(one => one with { RxNoHandler = null })];
        Assert.Equal(expected, read);
        Assert.InRange(counters.Interfaces[^1].RxPackets ?? 0, 1, long.MaxValue);
    }

    [Fact]
    public void Interfaces_MoreThanOnePartOfADump_AreAllThere()
    {
        const int PairCount = 40;
        string batch = Path.GetTempFileName();
        try
        {
            File.WriteAllLines(batch, Enumerable.Range(1, PairCount).Select(
                index => $"link add many{index} type veth peer name peer{index}"));
            _near.Ip($"-batch {batch}");
        }
        finally
        {
            File.Delete(batch);
        }

        using NetworkCounterReader all = Open(_near);
        using NetworkCounterReader some = Open(_near, "peer40", "nosuch0", "many1", "lo");

        Assert.Equal((2 * PairCount) + 2, all.Read().Interfaces.Count);
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal("peer40 many1 lo", string.Join(' ', some.Read().Interfaces.Select(one => one.Name)));
        }
    }

    [Fact]
    public void Socket_BufferThatOverflows_TellsTheDropsOfTheSocket()
    {
        var options = new UdpSocketOptions { ReceiveBufferBytes = 4096, CoalescedReceive = false };
        using UdpSocket sender = _near.Bind("127.0.0.1:0");
        using UdpSocket full = _near.Bind("127.0.0.1:0", options);
        using UdpSocketReader reader = _near.Enter(static () => new UdpSocketReader());
        UdpSocketCounters before = Assert.Single(reader.Read()!, IsFull);

        SendAll(sender, full.LocalEndPoint);

        UdpSocketCounters difference = Assert.Single(reader.Read()!, IsFull) - before;
        Assert.Equal(full.GetCounters().KernelDrops, difference.Drops);
        Assert.InRange(difference.Drops ?? 0, 1, DatagramCount);
        Assert.InRange(difference.ReceiveQueueBytes ?? 0, 1, 1 << 20);
        using var outside = new UdpSocketReader();
        Assert.DoesNotContain(outside.Read()!, one => one.Inode == before.Inode);

        bool IsFull(UdpSocketCounters one) => one.Port == full.LocalEndPoint.Port;
    }

    [Fact]
    public void Conntrack_FlowsOfManyPorts_AreCounted()
    {
        Programs.Require("nft", "nftables");
        _near.Execute("nft add table inet spate");
        _near.Execute("nft add chain inet spate in { type filter hook input priority 0; }");
        _near.Execute("nft add rule inet spate in ct state invalid drop");
        using NetworkCounterReader reader = Open(_near);
        Assert.SkipWhen(reader.Read().Conntrack is null, "this kernel has no connection tracking");
        using UdpSocket receiver = _near.Bind("127.0.0.1:0");
        var ports = new HashSet<int>();
        while (ports.Count < 50)
        {
            // The system may give a port again that was closed just before.
            using UdpSocket sender = _near.Bind("127.0.0.1:0");
            ports.Add(sender.LocalEndPoint.Port);
            sender.SendTo(new byte[10], receiver.LocalEndPoint);
        }

        ConntrackCounters counters = reader.Read().Conntrack!;

        string told = _near.Execute("cat /proc/sys/net/netfilter/nf_conntrack_count");
        Assert.Equal(long.Parse(told, CultureInfo.InvariantCulture), counters.Count);
        Assert.InRange(counters.Count ?? 0, 50, counters.Max ?? 0);
        Assert.Equal((0, 0, 0), (counters.Drops, counters.EarlyDrops, counters.InsertFailed));
    }

    [Fact]
    public void NamespaceId_TwoNamespaces_AreToldApart()
    {
        using NetworkCounterReader near = Open(_near);
        using NetworkCounterReader nearAgain = Open(_near);
        using NetworkCounterReader far = Open(_far);

        string id = near.Read().NamespaceId;

        Assert.NotEqual("", id, StringComparer.Ordinal);
        Assert.Equal(id, nearAgain.Read().NamespaceId);
        Assert.NotEqual(id, far.Read().NamespaceId, StringComparer.Ordinal);
        Assert.Throws<ArgumentException>(() => near.Read() - far.Read());
    }

    private static NetworkCounterReader Open(NetworkNamespace network, params string[] interfaces) =>
        network.Enter(() => new NetworkCounterReader(interfaces.Length == 0 ? null : interfaces));

    // Reads the counters and what a command prints again until no counter moved between them.
    private static (NetworkCounters Counters, JsonNode Told) ReadTogether(
        NetworkCounterReader reader, Func<JsonNode> tell, Func<NetworkCounters, NetworkCounters, bool> isSame)
    {
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            NetworkCounters counters = reader.Read();
            JsonNode told = tell();
            if (isSame(counters, reader.Read())) return (counters, told);

            Assert.True(
                Stopwatch.GetElapsedTime(start) < Patience, $"The counters never stood still in {Patience}.");
        }
    }

    private static void SendAll(UdpSocket sender, in UdpEndPoint to)
    {
        byte[] payload = new byte[PayloadBytes];
        for (int i = 0; i < DatagramCount; i++) sender.SendTo(payload, to);
    }

    private static JsonNode Json(string text) => JsonNode.Parse(
        text, documentOptions: new JsonDocumentOptions { AllowTrailingCommas = true })!;

    private static long? Number(JsonNode node, string name) => (long?)node[name];

    private static UdpProtocolCounters Udp(JsonNode told, string prefix) => new()
    {
        InDatagrams = Number(told, prefix + "InDatagrams"),
        NoPorts = Number(told, prefix + "NoPorts"),
        InErrors = Number(told, prefix + "InErrors"),
        OutDatagrams = Number(told, prefix + "OutDatagrams"),
        RcvbufErrors = Number(told, prefix + "RcvbufErrors"),
        SndbufErrors = Number(told, prefix + "SndbufErrors"),
        InCsumErrors = Number(told, prefix + "InCsumErrors"),
        MemErrors = Number(told, prefix + "MemErrors"),
    };

    private static IpCounters Ip(JsonNode told, string prefix) => new()
    {
        InReceives = Number(told, prefix + "InReceives"),
        InDelivers = Number(told, prefix + "InDelivers"),
        InHdrErrors = Number(told, prefix + "InHdrErrors"),
        InAddrErrors = Number(told, prefix + "InAddrErrors"),
        InDiscards = Number(told, prefix + "InDiscards"),
        OutRequests = Number(told, prefix + "OutRequests"),
        OutDiscards = Number(told, prefix + "OutDiscards"),
        OutNoRoutes = Number(told, prefix + "OutNoRoutes"),
        ReasmFails = Number(told, prefix + "ReasmFails"),
        FragFails = Number(told, prefix + "FragFails"),
    };

    private static long? Segments(JsonNode told, string prefix) => Number(told, prefix + "InNoECTPkts")
        + Number(told, prefix + "InECT1Pkts") + Number(told, prefix + "InECT0Pkts") + Number(told, prefix + "InCEPkts");

    private static InterfaceCounters Link(string name, int index, JsonNode statistics)
    {
        JsonNode received = statistics["rx"]!;
        JsonNode sent = statistics["tx"]!;
        return new InterfaceCounters(name, index)
        {
            RxPackets = Number(received, "packets"),
            RxBytes = Number(received, "bytes"),
            RxDropped = Number(received, "dropped"),
            RxErrors = Number(received, "errors"),
            RxMissedErrors = Number(received, "missed_errors"),
            RxFifoErrors = Number(received, "fifo_errors"),
            TxPackets = Number(sent, "packets"),
            TxBytes = Number(sent, "bytes"),
            TxDropped = Number(sent, "dropped"),
            TxErrors = Number(sent, "errors"),
            TxFifoErrors = Number(sent, "fifo_errors"),
            TxCarrierErrors = Number(sent, "carrier_errors"),
        };
    }
}
