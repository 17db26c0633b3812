using Spate.Measurement.Loss;
using static Spate.Tests.Measurement.Loss.LossCase;

namespace Spate.Tests.Measurement.Loss;

/// <summary>What is named, and what not, where counters count GSO messages, coalesced buffers or fragments.</summary>
public sealed class LossGsoTests
{
    private static readonly LossEvidence Messages = Of(6000, 40_000).Arrived(2000, segments: 40_000) with
    {
        SegmentedSend = true,
        CoalescedReceive = true,
        SocketDropUnit = UdpDropUnit.CoalescedBuffers,
        SizeBytes = 1000,
    };

    [Fact]
    public void Judge_BuffersDroppedByTheSocket_ExplainAllOfTheLoss()
    {
        LossAccount account = Judge(
            Messages.Udp(udp => udp with { InErrors = 300, RcvbufErrors = 300 }) with { SocketDrops = 300 });

        Assert.Equal("socket 6000", Places(account));
    }

    [Fact]
    public void Judge_BuffersDroppedByTheSocket_DoNotExplainWhatNeverReachedIp()
    {
        LossEvidence evidence = Messages.Arrived(1900, segments: 38_000).Softnet(100)
            .Udp(udp => udp with { InErrors = 200, RcvbufErrors = 200 }) with
        {
            SocketDrops = 200,
        };

        LossAccount account = Judge(evidence);

        Assert.Equal("socket 4000, unexplained 2000", Places(account));
    }

    [Fact]
    public void Judge_BuffersDroppedByTheSocket_HoldNoMoreThanAGsoMessage() => Assert.Equal(
        "path 5870, socket 130",
        Places(Judge(Messages.Udp(udp => udp with { InErrors = 2, RcvbufErrors = 2 }) with { SocketDrops = 2 })));

    [Fact]
    public void Judge_BuffersAndAFirewall_AreOneDatagramABufferAtLeast()
    {
        LossAccount account = Judge(Messages.Arrived(2000, 1900, 40_000)
            .Udp(udp => udp with { InErrors = 200, RcvbufErrors = 200 }) with
        { SocketDrops = 200 });

        Assert.Equal("socket 200, unexplained 5800", Places(account));
    }

    [Fact]
    public void Judge_BuffersAndAStrayPacket_AreAllOfTheLossButAGsoMessage()
    {
        LossAccount account = Judge(Messages
            .Udp(udp => udp with { InErrors = 300, RcvbufErrors = 300, NoPorts = 1 }) with
        { SocketDrops = 300 });

        Assert.Equal("socket 5935, unexplained 65", Places(account));
    }

    [Fact]
    public void Judge_SocketThatIsNotCoalescing_CountsDatagramsOfGsoMessages()
    {
        LossAccount account = Judge(Messages.Udp(udp => udp with { InErrors = 6000, RcvbufErrors = 6000 }) with
        {
            CoalescedReceive = false,
            SocketDropUnit = UdpDropUnit.Datagrams,
            SocketDrops = 6000,
        });

        Assert.Equal("socket 6000", Places(account));
    }

    [Fact]
    public void Judge_GsoMessagesThatAFirewallDropped_AreUnexplained()
    {
        LossAccount account = Judge(Messages.Arrived(2000, 1700, 40_000));

        Assert.Equal("unexplained 6000", Places(account));
        Assert.Equal("--no-gso --no-gro", account.Remedy);
        Assert.Equal(
            "100 % of the loss is unexplained, because the counters that grew count packets of several datagrams: "
                + "--no-gso --no-gro",
            account.Sentence);
    }

    [Fact]
    public void Judge_OneEndAlone_AdvisesATestOfBothEnds()
    {
        LossAccount account = Judge(Of(900).Arrived(2000, 1100) with { SegmentedSend = null, SenderDelta = null });

        Assert.Equal("unexplained 900", Places(account));
        Assert.Equal(
            "100 % of the loss is unexplained, because only the receiving end was measured: spate test",
            account.Sentence);
        Assert.Equal("spate test", account.Remedy);
    }

    [Fact]
    public void Judge_CoalescedReceiveAlone_LeavesTheSendersCountersExact()
    {
        LossEvidence evidence = Messages.Queues(Queue("tbf", 6000)) with { SegmentedSend = false };

        Assert.Equal("senderQueue 6000", Places(Judge(evidence)));
        Assert.Equal("unexplained 6000", Places(Judge(evidence with { SegmentedSend = true })));
        Assert.Equal("unexplained 6000", Places(Judge(Messages.Softnet(300) with { SegmentedSend = false })));
    }

    [Fact]
    public void Judge_GsoMessagesAndNoCounterMoved_LeaveThePath() => Assert.Equal("path 6000", Places(Judge(Messages)));

    [Fact]
    public void Judge_FewPacketsCounted_LeaveMostToThePath() =>
        Assert.Equal("path 5870, unexplained 130", Places(Judge(Messages.Softnet(2))));

    [Fact]
    public void Judge_Fragments_AreNotCountedAsDatagrams()
    {
        LossAccount account = Judge(Of(555).Arrived(5373, 1445) with { SizeBytes = 4000 });

        Assert.Equal("unexplained 555", Places(account));
        Assert.Equal("--size mtu", account.Remedy);
    }
}
