using Spate.HostTuning.Counters;
using Spate.Measurement.HostUse;
using Spate.Measurement.Loss;

namespace Spate.Tests.Measurement.Loss;

/// <summary>Evidence of two ends whose counters are all known, and zero unless a test changes them.</summary>
internal static class LossCase
{
    public const string Left = "va";
    public const string Right = "vb";
    public const string Boot = "2f6c";

    /// <summary>Two namespaces of one host, joined by a veth pair.</summary>
    public static LossEvidence Of(long missing, long offered = 2000) => new()
    {
        Offered = offered,
        Missing = missing,
        SenderDelta = Counters(Left, 1),
        ReceiverDelta = Counters(Right, 2),
        SenderInterfaces = [Left],
        ReceiverInterfaces = [Right],
        SocketDrops = 0,
        SegmentedSend = false,
        IsIPv6 = false,
        SizeBytes = 100,
        SenderMtuBytes = 1500,
        ReceiverMtuBytes = 1500,
        ReceiveBufferAskedBytes = 4_194_304,
        ReceiveBufferGrantedBytes = 4_194_304,
        BacklogLimit = 1000,
        Seconds = 10,
        IsReceiverRemote = true,
    };

    /// <summary>Both ends in one namespace, over the loopback.</summary>
    public static LossEvidence Loopback(long missing, long offered = 2000) => Of(missing, offered) with
    {
        SenderDelta = Counters("lo", 1),
        ReceiverDelta = Counters("lo", 1),
        SenderInterfaces = ["lo"],
        ReceiverInterfaces = ["lo"],
    };

    public static LossEvidence SenderUdp(
        this LossEvidence evidence, Func<UdpProtocolCounters, UdpProtocolCounters> change) => evidence with
        {
            SenderDelta = evidence.SenderDelta! with { Udp4 = change(evidence.SenderDelta.Udp4) },
        };

    public static LossEvidence SenderIp(this LossEvidence evidence, Func<IpCounters, IpCounters> change) =>
        evidence with { SenderDelta = evidence.SenderDelta! with { Ip4 = change(evidence.SenderDelta.Ip4) } };

    public static LossEvidence SenderLink(
        this LossEvidence evidence, Func<InterfaceCounters, InterfaceCounters> change) => evidence with
        {
            SenderDelta = evidence.SenderDelta! with
            {
                Interfaces = [.. evidence.SenderDelta.Interfaces.Select(change)],
            },
        };

    public static LossEvidence Queues(this LossEvidence evidence, params QueueCounters[] queues) => evidence with
    {
        SenderDelta = evidence.SenderDelta! with { Queues = queues },
    };

    public static LossEvidence Udp(
        this LossEvidence evidence, Func<UdpProtocolCounters, UdpProtocolCounters> change) => evidence with
        {
            ReceiverDelta = evidence.ReceiverDelta! with { Udp4 = change(evidence.ReceiverDelta.Udp4) },
        };

    public static LossEvidence Ip(this LossEvidence evidence, Func<IpCounters, IpCounters> change) => evidence with
    {
        ReceiverDelta = evidence.ReceiverDelta! with { Ip4 = change(evidence.ReceiverDelta.Ip4) },
    };

    /// <summary>Sets how many packets came in at IP, in how many datagrams, and how many left it upward.</summary>
    public static LossEvidence Arrived(
        this LossEvidence evidence, long packets, long? delivered = null, long? segments = null) => evidence
        .Ip(ip => ip with { InReceives = packets, InDelivers = delivered ?? packets, InSegments = segments ?? packets })
        .Link(link => link with { RxPackets = packets });

    public static LossEvidence Link(
        this LossEvidence evidence, Func<InterfaceCounters, InterfaceCounters> change) => evidence with
        {
            ReceiverDelta = evidence.ReceiverDelta! with
            {
                Interfaces = [.. evidence.ReceiverDelta.Interfaces.Select(change)],
            },
        };

    public static LossEvidence Softnet(this LossEvidence evidence, long? dropped) => evidence with
    {
        ReceiverDelta = evidence.ReceiverDelta! with { Softnet = new SoftnetCounters { Dropped = dropped } },
    };

    public static LossEvidence Tracking(this LossEvidence evidence, long drops) => evidence with
    {
        ReceiverDelta = evidence.ReceiverDelta! with
        {
            Conntrack = new ConntrackCounters { Drops = drops, EarlyDrops = 0, InsertFailed = 0, Count = 64, Max = 64 },
        },
    };

    /// <summary>One receiving thread, which took what was not dropped.</summary>
    public static LossEvidence Reader(
        this LossEvidence evidence, long? runQueue = 0, long? steal = 0, double cpuPercent = 3) => evidence with
        {
            Readers =
            [
                new ReaderSchedule
                {
                    Datagrams = evidence.Offered - evidence.Missing,
                    Drops = evidence.SocketDrops,
                    RunQueueNanoseconds = runQueue,
                    StealNanoseconds = steal,
                    CpuNanoseconds = (long)(cpuPercent * evidence.Seconds * 1e7),
                },
            ],
        };

    /// <summary>Judges, and checks what holds for any evidence.</summary>
    public static LossAccount Judge(LossEvidence evidence)
    {
        LossAccount account = LossAccount.Judge(evidence);
        Assert.Equal(Enum.GetValues<LossPlace>().Length, account.LostWhere.Count);
        Assert.All(account.LostWhere.Values, static count => Assert.True(count >= 0));
        Assert.True(account.Unexplained >= 0);
        Assert.Equal(
            Math.Max(0, evidence.Missing),
            account.LostWhere.Values.Aggregate(account.Unexplained, static (sum, count) => checked(sum + count)));
        Assert.DoesNotContain(account.Sentence, static character => character is < ' ' or > '~');
        return account;
    }

    /// <summary>The places with losses and their counts, for example <c>senderQueue 3, unexplained 1</c>.</summary>
    public static string Places(LossAccount account) => string.Join(
        ", ",
        account.LostWhere.Append(new("unexplained", account.Unexplained))
            .Where(static place => place.Value > 0)
            .Select(static place => $"{place.Key} {place.Value}"));

    private static NetworkCounters Counters(string link, int space) => new()
    {
        Udp4 = NoUdp,
        Udp6 = NoUdp,
        Ip4 = NoIp,
        Ip6 = NoIp,
        Softnet = new SoftnetCounters { Dropped = 0, Squeezed = 0 },
        Interfaces = [NoLink(link)],
        Queues = [Queue("noqueue", 0, "root", link)],
        NamespaceId = $"net:[{space}]@{Boot}",
    };

    public static QueueCounters Queue(string kind, long? drops, string parent = "root", string link = Left) =>
        new(link, kind, "8001:", parent) { Drops = drops, Packets = 0, Overlimits = 0, Requeues = 0 };

    private static UdpProtocolCounters NoUdp => new()
    {
        InDatagrams = 0,
        NoPorts = 0,
        InErrors = 0,
        OutDatagrams = 0,
        RcvbufErrors = 0,
        SndbufErrors = 0,
        InCsumErrors = 0,
        MemErrors = 0,
    };

    private static IpCounters NoIp => new()
    {
        InReceives = 0,
        InDelivers = 0,
        InHdrErrors = 0,
        InAddrErrors = 0,
        InDiscards = 0,
        InNoRoutes = 0,
        OutRequests = 0,
        OutDiscards = 0,
        OutNoRoutes = 0,
        ReasmFails = 0,
        FragFails = 0,
        ReversePathFilter = 0,
        InSegments = 0,
    };

    private static InterfaceCounters NoLink(string name) => new(name, 2)
    {
        RxPackets = 0,
        RxDropped = 0,
        RxErrors = 0,
        RxMissedErrors = 0,
        RxFifoErrors = 0,
        RxNoHandler = 0,
        TxPackets = 0,
        TxDropped = 0,
        TxErrors = 0,
        TxFifoErrors = 0,
        TxCarrierErrors = 0,
    };
}
