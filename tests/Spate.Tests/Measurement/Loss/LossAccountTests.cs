using System.Net.Sockets;
using Spate.HostTuning.Counters;
using Spate.Measurement.Loss;
using static Spate.Tests.Measurement.Loss.LossCase;

namespace Spate.Tests.Measurement.Loss;

/// <summary>
/// From evidence to account. The counts of provoked losses are those that Linux 6.18 gave for 2000 datagrams between
/// two namespaces with a veth pair.
/// </summary>
public sealed class LossAccountTests
{
    private const long Second = 1_000_000_000;

    public static IEnumerable<ITheoryDataRow> AtTheSender => new TheoryData<string, LossEvidence, string, string?>
    {
        {
            "tbf queue",
            Of(1951).Arrived(49).Queues(Queue("tbf", 1951), Queue("bfifo", 1951, "8001:1"))
                .SenderUdp(udp => udp with { SndbufErrors = 1951, OutDatagrams = 49 })
                .SenderIp(ip => ip with { OutDiscards = 1951 }),
            "senderQueue 1951", "--rate 4"
        },
        {
            "firewall rule of output",
            Of(625).Arrived(1375).SenderIp(ip => ip with { OutDiscards = 625 }) with
            {
                Refused = 625, RefusedBecause = SocketError.AccessDenied,
            },
            "senderApplication 625", "nft list ruleset"
        },
        {
            "firewall rule of egress",
            Of(621).Arrived(1379).SenderUdp(udp => udp with { SndbufErrors = 621 })
                .SenderIp(ip => ip with { OutDiscards = 621 }),
            "senderSocket 621", "nft list ruleset"
        },
        {
            "MTU under DF", Of(2000) with { Refused = 2000, RefusedBecause = SocketError.MessageSize },
            "senderApplication 2000", "--size mtu"
        },
        {
            "sender pacing", Of(1200) with { Skipped = 1200 }, "senderApplication 1200", "--rate 72"
        },
    };

    public static IEnumerable<ITheoryDataRow> AtTheSocket => new TheoryData<string, LossEvidence, string, string?>
    {
        {
            "small receive buffer",
            Of(1952).Arrived(2000).Udp(udp => udp with { InErrors = 1952, RcvbufErrors = 1952 }) with
            {
                SocketDrops = 1952, ReceiveBufferAskedBytes = 10_000, ReceiveBufferGrantedBytes = 10_000,
            },
            "socket 1952", "--remote-buffer 4194304"
        },
        {
            "buffer not granted",
            Of(1952).Arrived(2000).Udp(udp => udp with { InErrors = 1952, RcvbufErrors = 1952 }) with
            {
                SocketDrops = 1952, ReceiveBufferGrantedBytes = 212_992,
            },
            "socket 1952", "sysctl -w net.core.rmem_max=4194304"
        },
        {
            "stopped reader",
            Of(900).Arrived(2000).Udp(udp => udp with { InErrors = 900, RcvbufErrors = 900 }) with
            {
                SocketDrops = 900, StoppedNanoseconds = 5 * Second,
            },
            "reader 900", null
        },
        {
            "reader without a CPU",
            (Of(900).Arrived(2000).Udp(udp => udp with { InErrors = 900, RcvbufErrors = 900 }) with
            {
                SocketDrops = 900,
            }).Reader(5 * Second, cpuPercent: 40),
            "reader 900", "--remote-cpu auto"
        },
        {
            "no listener", Of(2000).Arrived(2000).Udp(udp => udp with { NoPorts = 2000 }), "udp 2000", "ss -lun"
        },
        {
            "wrong checksums",
            Of(30).Arrived(2000).Udp(udp => udp with { InErrors = 30, InCsumErrors = 30 }), "udp 30", "--no-gso"
        },
        {
            "UDP's memory",
            Of(30).Arrived(2000).Udp(udp => udp with { InErrors = 30, MemErrors = 30 }) with { SocketDrops = 30 },
            "udp 30", "sysctl net.ipv4.udp_mem"
        },
        {
            "a socket's filter",
            Of(2000).Arrived(2000).Udp(udp => udp with { InErrors = 2000 }) with { SocketDrops = 2000 },
            "socket 2000", "bpftool cgroup tree"
        },
    };

    public static IEnumerable<ITheoryDataRow> InBetween => new TheoryData<string, LossEvidence, string, string?>
    {
        {
            "firewall rule of input", Of(576).Arrived(2000, 1424), "firewall 576", "nft list ruleset"
        },
        {
            "firewall rule of ingress",
            Of(615).Arrived(1385).Link(link => link with { RxPackets = 2000 }), "firewall 615", "nft list ruleset"
        },
        {
            "connection tracking full", Of(700).Arrived(2000, 1300).Tracking(700),
            "firewall 700", "sysctl -w net.netfilter.nf_conntrack_max=128"
        },
        {
            "receiver's MTU",
            Of(2000).SenderUdp(udp => udp with { SndbufErrors = 2000 }).SenderIp(ip => ip with { OutDiscards = 2000 })
                .SenderLink(link => link with { TxDropped = 2000 }).Link(link => link with { RxDropped = 2000 }) with
                {
                    SizeBytes = 1400, ReceiverMtuBytes = 1280,
                },
            "receiverInterface 2000", "--size 1252"
        },
        {
            "backlog over veth",
            Of(300).Arrived(1700).Softnet(300).Link(link => link with { RxDropped = 300 })
                .SenderLink(link => link with { TxDropped = 300 })
                .SenderUdp(udp => udp with { SndbufErrors = 300 }).SenderIp(ip => ip with { OutDiscards = 300 }),
            "backlog 300", "sysctl -w net.core.netdev_max_backlog=10000"
        },
        {
            "backlog over loopback",
            Loopback(300).Arrived(1700).Softnet(300).Link(link => link with { RxDropped = 300 }) with
            {
                BacklogLimit = 40_000,
            },
            "backlog 300", "sysctl -w net.core.netdev_max_backlog=80000"
        },
        {
            "card without buffers",
            Of(50).Arrived(1950).Link(link => link with { RxMissedErrors = 50 }),
            "receiverInterface 50", "ethtool -G vb rx 4096"
        },
        {
            "reverse path filter",
            Of(2000).Arrived(2000, 0).Ip(ip => ip with { ReversePathFilter = 2000 }),
            "ip 2000", "sysctl -w net.ipv4.conf.vb.rp_filter=2"
        },
        { "between the hosts", Of(500).Arrived(1500), "path 500", "--rate 130" },
        { "corrupted payloads", Of(40).Arrived(2000) with { Corrupted = 40 }, "corrupted 40", null },
    };

    [Theory]
    [MemberData(nameof(AtTheSender))]
    [MemberData(nameof(InBetween))]
    [MemberData(nameof(AtTheSocket))]
    internal void Judge_AProvokedLoss_NamesThePlaceAndTheRemedy(
        string name, LossEvidence evidence, string places, string? remedy)
    {
        LossAccount account = Judge(evidence);

        TestContext.Current.TestOutputHelper?.WriteLine($"{name}: {account.Sentence}");
        Assert.Equal(places, Places(account));
        Assert.Equal(remedy, account.Remedy);
    }

    [Fact]
    public void Judge_QueueSetUpMeanwhile_PutsNothingAtTheSocket()
    {
        LossAccount account = Judge(Of(1951).Arrived(49).Queues()
            .SenderUdp(udp => udp with { SndbufErrors = 1951, OutDatagrams = 49 })
            .SenderIp(ip => ip with { OutDiscards = 1951 }));

        Assert.Equal(1951, account.Unexplained);
    }

    [Fact]
    public void Judge_NothingMissing_SaysSo()
    {
        LossAccount account = Judge(Of(0).Udp(udp => udp with { RcvbufErrors = 9, InErrors = 9 }).Softnet(9));

        Assert.Equal("Nothing was lost.", account.Sentence);
        Assert.Equal("", Places(account));
        Assert.Null(account.Remedy);
    }

    [Fact]
    public void Judge_LostWhere_HasAllPlacesInTheOrderOfTheWay() => Assert.Equal(
        "senderApplication senderSocket senderQueue senderInterface path receiverInterface backlog ip firewall udp "
            + "socket reader corrupted",
        string.Join(' ', Judge(Of(1)).LostWhere.Keys));

    [Fact]
    public void Judge_CountersOfOtherPrograms_GetOnlyWhatTheSocketLeavesOpen()
    {
        LossAccount account = Judge(Of(100).Arrived(2000)
            .Udp(udp => udp with { InErrors = 5060, RcvbufErrors = 5060, NoPorts = 7000 }) with
        { SocketDrops = 60 });

        Assert.Equal("udp 40, socket 60", Places(account));
    }

    [Fact]
    public void Judge_OneNamespace_ReadsTheReceiversCountersOnce()
    {
        LossEvidence evidence = Loopback(100).Arrived(2000).SenderUdp(udp => udp with { SndbufErrors = 100 })
            .SenderIp(ip => ip with { OutDiscards = 100 });

        Assert.True(evidence.SharesNamespace);
        Assert.Equal("unexplained 100", Places(Judge(evidence)));
    }

    [Fact]
    public void Judge_OneNamespace_HasNoPath() =>
        Assert.Equal("100 % of the loss is unexplained: no counter of the host grew.", Judge(Loopback(5)).Sentence);

    [Fact]
    public void SharesNamespace_NamesThatAreUnknown_AreNotEqual()
    {
        LossEvidence evidence = Loopback(1);
        evidence = evidence with
        {
            SenderDelta = evidence.SenderDelta! with { NamespaceId = "" },
            ReceiverDelta = evidence.ReceiverDelta! with { NamespaceId = "" },
        };

        Assert.False(evidence.SharesNamespace);
        Assert.False(evidence.SharesHost);
    }

    [Fact]
    public void Judge_TwoHosts_CountTheirDropsApart()
    {
        LossEvidence evidence = Of(500).Arrived(1500).Softnet(200).Link(link => link with { RxDropped = 200 })
            .SenderLink(link => link with { TxDropped = 300 });
        evidence = evidence with { SenderDelta = evidence.SenderDelta! with { NamespaceId = "net:[1]@other" } };

        Assert.Equal("senderInterface 300, backlog 200", Places(Judge(evidence)));
    }

    [Fact]
    public void Judge_SendsThatWaitedForTheBuffer_AreNoLoss()
    {
        LossAccount account = Judge(Of(10).Arrived(1990).SenderUdp(udp => udp with { SndbufErrors = 5000 }));

        Assert.Equal("path 10", Places(account));
    }

    [Fact]
    public void Judge_SendsThatAFirewallRefused_AreNotDroppedAgain()
    {
        LossEvidence evidence = Of(625).Arrived(1375).SenderIp(ip => ip with { OutDiscards = 600 })
            .SenderUdp(udp => udp with { SndbufErrors = 5000 }) with
        {
            Refused = 600,
            RefusedBecause = SocketError.AccessDenied,
        };

        Assert.Equal("senderApplication 600, path 25", Places(Judge(evidence)));
    }

    [Fact]
    public void Judge_CorruptedOnes_AreNeverThePaths()
    {
        LossEvidence evidence = Of(100).Arrived(1930).Udp(udp => udp with { InErrors = 25, RcvbufErrors = 25 }) with
        {
            SocketDrops = 25,
            Corrupted = 60,
        };

        LossAccount account = Judge(evidence);

        Assert.Equal("path 15, socket 25, corrupted 60", Places(account));
        Assert.Equal(
            "60 % of the loss is corruption on the way: 60 datagrams arrived with a wrong checksum (--verify).",
            account.Sentence);
        Assert.Equal("corrupted 100", Places(Judge(evidence with { Corrupted = 7000 })));
    }

    [Fact]
    public void Judge_LateOnes_AreNeverThePaths()
    {
        LossAccount account = Judge(Of(100).Arrived(2000) with { Late = 60 });

        Assert.Equal("path 40, unexplained 60", Places(account));
        Assert.Equal(
            "60 % of the loss is unexplained: 60 arrived outside the tracking window.", account.Sentence);
        Assert.Equal("unexplained 100", Places(Judge(Of(100).Arrived(2000) with { Late = long.MaxValue })));
    }

    [Fact]
    public void Judge_SocketWithoutItsOwnCount_TakesTheNamespaces()
    {
        LossEvidence evidence = Of(70).Arrived(2000).Udp(udp => udp with { InErrors = 70, RcvbufErrors = 70 });

        Assert.Equal("socket 70", Places(Judge(evidence with { SocketDrops = null })));
        Assert.Equal("socket 70", Places(Judge(evidence with { SocketDrops = -1 })));
    }

    [Theory]
    [InlineData(0.1, "socket 900")]
    [InlineData(1.9, "socket 900")]
    [InlineData(2.5, "reader 900")]
    public void Judge_ReaderThatWaits_IsThePlaceFromAFifthOfTheTime(double seconds, string places)
    {
        LossEvidence evidence = Of(900).Arrived(2000).Udp(udp => udp with { InErrors = 900, RcvbufErrors = 900 }) with
        {
            SocketDrops = 900,
        };

        Assert.Equal(places, Places(Judge(evidence.Reader((long)(seconds * Second), steal: null))));
    }

    [Fact]
    public void Judge_ShortStop_IsNotBlamedForAnOverload()
    {
        LossEvidence evidence = Of(1750).Arrived(2000)
            .Udp(udp => udp with { InErrors = 1750, RcvbufErrors = 1750 }) with
        {
            SocketDrops = 1750,
            StoppedNanoseconds = Second / 2,
        };

        LossAccount account = Judge(evidence.Reader(cpuPercent: 50));

        Assert.Equal("socket 1750", Places(account));
        Assert.Contains(
            "while its reader was not running for 5 % of the time", account.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void Judge_UnreadableCounters_LeaveTheRestUnexplained()
    {
        Assert.Equal("unexplained 100", Places(Judge(Of(100) with { SenderDelta = null })));
        Assert.Equal("unexplained 100", Places(Judge(Of(100) with { ReceiverDelta = null })));
        Assert.Equal("unexplained 100", Places(Judge(Of(100).Queues())));
        Assert.Equal("unexplained 100", Places(Judge(Of(100).Softnet(null))));
        Assert.Equal("unexplained 100", Places(Judge(Of(100).Link(link => link with { RxDropped = null }))));
        Assert.Equal("unexplained 100", Places(Judge(Of(100).Ip(ip => ip with { InReceives = null }))));
        Assert.Equal("unexplained 100", Places(Judge(Of(100).Udp(udp => udp with { InErrors = null }))));
    }

    [Fact]
    public void Judge_UnreadableCounters_KeepWhatIsKnown() => Assert.Equal(
        "socket 30, unexplained 70",
        Places(Judge(Of(100) with { SocketDrops = 30, SenderDelta = null, ReceiverDelta = null })));

    [Fact]
    public void Judge_UnknownInterface_TakesAll()
    {
        LossEvidence evidence = Of(80).Arrived(1920).Link(link => link with { RxMissedErrors = 80 });

        Assert.Equal("unexplained 80", Places(Judge(evidence with { ReceiverInterfaces = ["other"] })));
        Assert.Equal("receiverInterface 80", Places(Judge(evidence with { ReceiverInterfaces = [] })));
    }

    [Fact]
    public void Judge_SeveralInterfaces_AddsThemAndNoOthers()
    {
        LossEvidence evidence = Of(90).Arrived(1910);
        InterfaceCounters link = evidence.SenderDelta!.Interfaces[0];
        evidence = evidence with
        {
            SenderInterfaces = [Left, "vc"],
            SenderDelta = evidence.SenderDelta with
            {
                Interfaces =
                [
                    link with { TxErrors = 5 }, link with { Name = "vc", TxErrors = 40 },
                    link with { Name = "wifi", TxErrors = 70 },
                ],
                Queues = [Queue("tbf", 1), Queue("tbf", 30, link: "vc"), Queue("tbf", 500, link: "wifi")],
                NamespaceId = "net:[1]@other",
            },
        };

        Assert.Equal("senderQueue 31, senderInterface 45, path 14", Places(Judge(evidence)));
        Assert.Equal(
            "unexplained 90",
            Places(Judge(evidence.Queues() with { SenderInterfaces = [Left, "vc", "gone"] })));
    }

    [Fact]
    public void Judge_UnknownFamily_AddsBoth()
    {
        LossEvidence evidence = Of(80).Arrived(2000).Udp(udp => udp with { NoPorts = 30 });
        evidence = evidence with
        {
            IsIPv6 = null,
            ReceiverDelta = evidence.ReceiverDelta! with
            {
                Udp6 = evidence.ReceiverDelta.Udp6 with { NoPorts = 50 },
            },
        };

        Assert.Equal("udp 80", Places(Judge(evidence)));
        Assert.Equal("path 30, udp 50", Places(Judge(evidence with { IsIPv6 = true })));
    }
}
