using System.Globalization;
using Spate.HostTuning.Counters;
using Spate.Measurement.Loss;
using static Spate.Tests.Measurement.Loss.LossCase;

namespace Spate.Tests.Measurement.Loss;

public sealed class LossTextTests
{
    private const long Second = 1_000_000_000;

    private static readonly LossEvidence FullSocket = Of(1000).Arrived(1920)
        .Udp(udp => udp with { InErrors = 920, RcvbufErrors = 920 }) with
    {
        SocketDrops = 920,
        ReceiveBufferGrantedBytes = 212_992,
    };

    [Fact]
    public void Sentence_BufferNotGranted_NamesShareFiguresAndCommand() => Assert.Equal(
        "92 % of the loss is this socket's receive buffer (212992 bytes granted, 4194304 requested): "
            + "sysctl -w net.core.rmem_max=4194304",
        Judge(FullSocket).Sentence);

    [Fact]
    public void Sentence_InAnotherCulture_IsTheSame()
    {
        LossEvidence evidence = FullSocket with { StoppedNanoseconds = 5 * Second };
        string expected = Judge(evidence).Sentence;
        CultureInfo before = CultureInfo.CurrentCulture;
        try
        {
            CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = "," } };
            Assert.Equal(expected, Judge(evidence).Sentence);
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    [Fact]
    public void Sentence_AlmostAll_IsNotAll() =>
        Assert.StartsWith(
            "99 % of", Judge(Of(1000).Arrived(1000) with { Refused = 999 }).Sentence, StringComparison.Ordinal);

    [Fact]
    public void Sentence_BusyReader_AdvisesASlowerRateNotABuffer()
    {
        LossAccount account = Judge(FullSocket.Reader(cpuPercent: 99.4));

        Assert.Equal(
            "92 % of the loss is this socket's receive buffer (212992 bytes granted, 4194304 requested), "
                + "whose reader used 99 % of a CPU: --rate 90",
            account.Sentence);
    }

    [Fact]
    public void Sentence_GrantedBuffer_AdvisesALargerOne()
    {
        LossEvidence granted = FullSocket with { ReceiveBufferGrantedBytes = 4_194_304 };

        Assert.Equal("--remote-buffer 8388608", Judge(granted).Remedy);
        Assert.Equal("--buffer 8388608", Judge(granted with { IsReceiverRemote = false }).Remedy);
    }

    [Theory]
    [InlineData(0, "a filter of this socket, which rejected 920 packets: bpftool cgroup tree")]
    [InlineData(459, "a filter of this socket, which rejected 461 packets: bpftool cgroup tree")]
    [InlineData(
        460, "this socket's receive buffer (4194304 bytes granted, 4194304 requested): --remote-buffer 8388608")]
    public void Sentence_RejectedByAFilter_IsNotTheBuffers(long full, string sentence) => Assert.Equal(
        "100 % of the loss is " + sentence,
        Judge(Of(920).Arrived(2000).Udp(udp => udp with { InErrors = 920, RcvbufErrors = full }) with
        {
            SocketDrops = 920,
        }).Sentence);

    [Fact]
    public void Sentence_ReaderAway_SaysForHowLong()
    {
        Assert.Equal(
            "92 % of the loss is the receiver, which was stopped for 5.0 s of 10.0 s.",
            Judge(FullSocket with { StoppedNanoseconds = 5 * Second }).Sentence);
        Assert.Equal(
            "92 % of the loss is the receiver, which waited 5.0 s of 10.0 s for a CPU: --remote-cpu auto",
            Judge(FullSocket.Reader(5 * Second)).Sentence);
        Assert.Equal(
            "92 % of the loss is the receiver, which waited 5.0 s of 10.0 s for a CPU that the hypervisor gave to "
                + "others.",
            Judge(FullSocket.Reader(Second, 5 * Second)).Sentence);
    }

    [Theory]
    [InlineData(2.4, "which waited 5.0 s of 10.0 s for a CPU: --remote-cpu auto")]
    [InlineData(2.6, "which its control group's quota (cpu.max) stopped for 2.6 s of 10.0 s: grant more CPU time.")]
    [InlineData(9, "which its control group's quota (cpu.max) stopped for 5.0 s of 10.0 s: grant more CPU time.")]
    public void Sentence_ReaderStoppedByAQuota_NamesTheQuota(double throttledSeconds, string sentence) => Assert.Equal(
        "92 % of the loss is the receiver, " + sentence,
        Judge((FullSocket with { ThrottledSeconds = throttledSeconds }).Reader(5 * Second)).Sentence);

    [Fact]
    public void Sentence_ReaderThatWaitedLongerThanTheTest_SaysTheTestsTime() => Assert.Equal(
        "92 % of the loss is the receiver, which waited 0.042 s of 0.042 s for a CPU: --remote-cpu auto",
        Judge((FullSocket with { Seconds = 0.0421 }).Reader(Second)).Sentence);

    [Fact]
    public void Sentence_SenderQueue_NamesKindAndInterface() => Assert.Equal(
        "100 % of the loss is the sender's queue tbf on va (40 drops): --rate 170",
        Judge(Of(40).Arrived(1960).Queues(Queue("tbf", 40))).Sentence);

    [Fact]
    public void Sentence_QueueBelowTheSendersInterface_NamesBothAndTheRate() => Assert.Equal(
        "100 % of the loss is the sender's interface va, whose packets a queue below it dropped (40 drops of tbf on "
            + "eth0): --rate 170",
        Judge(Of(40).Arrived(1960).SenderLink(link => link with { TxDropped = 40 })
            .Queues(Queue("noqueue", 0), Queue("tbf", 40, link: "eth0"))).Sentence);

    [Theory]
    [InlineData(19, 39, "tx_dropped")]
    [InlineData(0, 41, "tx_carrier_errors")]
    public void Sentence_SendersInterface_NamesTheCounterThatMovedMost(long elsewhere, long carrier, string counter) =>
        Assert.Equal(
            $"100 % of the loss is the sender's interface va, which dropped {40 + carrier} packets ({counter}): "
                + "ip -s -s link show dev va",
            Judge(Of(40).Arrived(1960).SenderLink(link => link with { TxDropped = 40, TxCarrierErrors = carrier })
                .Queues(Queue("noqueue", 0), Queue("tbf", elsewhere, link: "eth0"))).Sentence);

    [Theory]
    [InlineData(null, "; its limit is set on the host, not in a network namespace", 10_000)]
    [InlineData(1000L, ", room for 1000", 10_000)]
    [InlineData(30_000L, ", room for 30000", 60_000)]
    public void Sentence_Backlog_SaysWhereItsLimitIsSet(long? limit, string where, long advised) => Assert.Equal(
        $"100 % of the loss is the backlog queue of the receiving host's CPUs (40 drops{where}): "
            + $"sysctl -w net.core.netdev_max_backlog={advised}",
        Judge(Of(40).Arrived(1960).Softnet(40) with { BacklogLimit = limit }).Sentence);

    [Fact]
    public void Sentence_InterfaceWithADot_IsNamedAsSysctlWants()
    {
        LossEvidence evidence = Of(9).Arrived(2000, 1991).Link(link => new InterfaceCounters("eth0.7", 1)
        {
            RxDropped = 0,
            RxMissedErrors = 0,
            RxErrors = 0,
            RxFifoErrors = 0,
            RxNoHandler = 0,
            RxPackets = 2000,
        });

        LossAccount account = Judge(evidence.Ip(ip => ip with { ReversePathFilter = 9 }) with
        {
            ReceiverInterfaces = ["eth0.7"],
        });

        Assert.Equal("sysctl -w net.ipv4.conf.eth0/7.rp_filter=2", account.Remedy);
    }

    [Fact]
    public void Sentence_MtuOfTheReceiver_NamesBothSizes() => Assert.Equal(
        "100 % of the loss is the receiver's interface vb, whose MTU of 1280 bytes is too small for datagrams of "
            + "1400 bytes: --size 1232",
        Judge(Of(9).Link(link => link with { RxDropped = 9 }) with
        {
            SizeBytes = 1400,
            ReceiverMtuBytes = 1280,
            IsIPv6 = true,
        }).Sentence);

    [Theory]
    [InlineData("eth0; reboot")]
    [InlineData("$(reboot)")]
    [InlineData("\u001b[2J")]
    [InlineData("-h")]
    [InlineData("a\nb")]
    [InlineData("")]
    [InlineData("abcdefghijklmnop")]
    public void Sentence_NamesOfTheOtherEnd_AreLeftOutUnlessPlain(string name)
    {
        LossEvidence evidence = Of(9).Link(link => new InterfaceCounters(name, 1)
        {
            RxDropped = 9,
            RxMissedErrors = 9,
            RxErrors = 0,
            RxFifoErrors = 0,
            RxNoHandler = 0,
            RxPackets = 0,
        }) with
        {
            ReceiverInterfaces = [name],
        };

        LossAccount account = Judge(evidence);

        Assert.Equal("receiverInterface 9", Places(account));
        Assert.Equal(
            "100 % of the loss is the receiver's interface, which dropped 18 packets (rx_missed_errors): "
                + "ip -s -s link",
            account.Sentence);
    }

    [Theory]
    [InlineData(true, false, "the sending host")]
    [InlineData(false, true, "the receiving host")]
    [InlineData(true, true, "both hosts")]
    public void Sentence_UnreadableCounters_NamesTheHost(bool noSender, bool noReceiver, string host)
    {
        LossEvidence evidence = Of(9);
        evidence = evidence with
        {
            SenderDelta = noSender ? null : evidence.SenderDelta,
            ReceiverDelta = noReceiver ? null : evidence.ReceiverDelta,
        };

        Assert.Equal(
            $"100 % of the loss is unexplained, because counters of {host} could not be read.",
            Judge(evidence).Sentence);
    }
}
