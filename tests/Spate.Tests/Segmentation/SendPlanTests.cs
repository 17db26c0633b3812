using Spate.Segmentation;

namespace Spate.Tests.Segmentation;

public sealed class SendPlanTests
{
    private const int A = 0;
    private const int B = 1;
    private const int NoControl = SendRun.NoControl;

    private SendPlan _plan = new(GsoLimits.Default, PlanPeers.Capacity);

    [Fact]
    public void Plan_NoDatagrams_GivesNoGsoMessages() => Assert.Equal("", Describe(new PlanCase(PlanPeers.Apart)));

    [Fact]
    public void Plan_EqualSizes_GiveOneGsoMessageOfOneIovec()
    {
        Assert.Equal("1: 0+100 100+100 200+100", Describe(Sizes(100, 100, 100)));
        Assert.Equal(1, _plan.Iovecs.Length);
        Assert.Equal(300, _plan.Iovecs[0].LengthBytes);
    }

    [Fact]
    public void Plan_ShorterLast_ClosesGsoMessage() =>
        Assert.Equal("1: 0+100 100+50 | 1: 150+50 200+50", Describe(Sizes(100, 50, 50, 50)));

    [Fact]
    public void Plan_LargerNext_StartsGsoMessage() =>
        Assert.Equal("1: 0+100 | 1: 100+101 201+100", Describe(Sizes(100, 101, 100)));

    [Fact]
    public void Plan_EmptyDatagrams_TravelAlone() =>
        Assert.Equal("1: 0+100 | 1: 100+0 | 1: 100+0 | 1: 100+100 200+100", Describe(Sizes(100, 0, 0, 100, 100)));

    [Fact]
    public void Trim_LastOfARunToNothing_TravelsAlone()
    {
        PlanCase made = Sizes(100, 100);
        made.Add(A, NoControl, 0, 0, 0, trimmedBytes: 100);
        made.Add(A, NoControl, 0, 0, 100);

        Assert.Equal("1: 0+100 100+100 | 1: 200+0 | 1: 200+100", Describe(made));
    }

    [Fact]
    public void Trim_LastOfARun_ClosesGsoMessage()
    {
        PlanCase made = Sizes(100, 100);
        made.Add(A, NoControl, 0, 0, 40, trimmedBytes: 60);
        made.Add(A, NoControl, 0, 0, 40);

        Assert.Equal("1: 0+100 100+100 200+40 | 1: 240+40", Describe(made));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    public void Trim_EveryReservation_FullGsoMessages(int peerCount)
    {
        var made = new PlanCase(PlanPeers.Apart);
        for (int i = 0; i < 60 * peerCount; i++)
            made.Add(i % peerCount, NoControl, 0, 0, 1200, trimmedBytes: 848);

        Describe(made);

        // 54 datagrams of 1200 bytes are what fits into 65,000.
        Assert.Equal(
            [.. Enumerable.Repeat(54, peerCount), .. Enumerable.Repeat(6, peerCount)],
            Counts().OrderDescending());
    }

    [Fact]
    public void Plan_DefaultPeerAmongNamedOnes_KeepsOrder()
    {
        PlanCase made = Peers(GsoLimits.Default, A, PlanCase.DefaultPeer, A, A, PlanCase.DefaultPeer, B);

        Assert.Equal("1: 0+100 | 0: 100+100 | 1: 200+100 300+100 | 0: 400+100 | 2: 500+100", Describe(made));
    }

    [Fact]
    public void Plan_LargerThanMaxTotalBytes_TravelsAlone() => Assert.Equal(
        "1: 0+65001 | 1: 65001+65001 | 1: 130002+10",
        Describe(Sizes(65_001, 65_001, 10)));

    [Fact]
    public void Plan_MaxTotalBytes_CutsRun()
    {
        Describe(Sizes([.. Enumerable.Repeat(1380, 100)]));

        Assert.Equal([47, 47, 6], Counts());
        Assert.Equal(47 * 1380, _plan.Messages[0].TotalBytes);
    }

    [Fact]
    public void Plan_MaxTotalBytesMetExactly_StaysInGsoMessage()
    {
        Describe(Sizes([.. Enumerable.Repeat(1000, 65), 1000]));

        Assert.Equal([64, 2], Counts());
        Assert.Equal("1: 0+1000 1000+500", Describe(Sizes(new GsoLimits(64, 1500, 64), 1000, 500)));
        Assert.Equal("1: 0+1000 | 1: 1000+501", Describe(Sizes(new GsoLimits(64, 1500, 64), 1000, 501)));
    }

    [Fact]
    public void Plan_MaxSegmentCount_CutsRunWithFewGsoMessages()
    {
        Describe(Sizes([.. Enumerable.Repeat(64, 200), 8]));

        Assert.Equal([64, 64, 64, 9], Counts());
        Assert.Equal(8, _plan.Messages[3].LastBytes);
        Assert.Equal(4, _plan.Iovecs.Length);
    }

    [Fact]
    public void Plan_SegmentationOff_KeepsEveryDatagramInItsPlace()
    {
        PlanCase made = Peers(GsoLimits.Unsegmented, A, A, B, A);

        Assert.Equal("1: 0+100 | 1: 100+100 | 2: 200+100 | 1: 300+100", Describe(made));
    }

    [Fact]
    public void Plan_AlternatingPeers_AreGathered()
    {
        Assert.Equal(
            "1: 0+100 200+100 400+100 | 2: 100+100 300+100",
            Describe(Peers(GsoLimits.Default, A, B, A, B, A)));
        Assert.Equal([3, 2], SliceCounts());
    }

    [Fact]
    public void Plan_MaxIovecCount_StartsGsoMessage() => Assert.Equal(
        "1: 0+100 200+100 | 2: 100+100 300+100 | 1: 400+100 500+100",
        Describe(Peers(new GsoLimits(64, 65_000, 2), A, B, A, B, A, A)));

    [Fact]
    public void Plan_MaxSliceCountReached_StillTakesAdjoiningBytes() => Assert.Equal(
        "1: 0+100 200+100 300+100 | 2: 100+100",
        Describe(Peers(new GsoLimits(64, 65_000, 2), A, B, A, A)));

    [Fact]
    public void Plan_ClosedGsoMessageOfAlternatingPeer_IsNotReopened()
    {
        var made = new PlanCase(PlanPeers.Apart);
        made.Add(A, NoControl, 0, 0, 100);
        made.Add(B, NoControl, 0, 0, 100);
        made.Add(A, NoControl, 0, 0, 200);
        made.Add(B, NoControl, 0, 0, 50);
        made.Add(A, NoControl, 0, 0, 100);
        made.Add(B, NoControl, 0, 0, 100);

        Assert.Equal("1: 0+100 | 2: 100+100 400+50 | 1: 200+200 450+100 | 2: 550+100", Describe(made));
    }

    [Fact]
    public void Plan_ForeignBuffers_BecomeSlices()
    {
        var made = new PlanCase(PlanPeers.Apart);
        made.Add(A, NoControl, 0, 0, 100);
        made.Add(A, NoControl, 1, 100, 100);
        made.Add(A, NoControl, 1, 0, 100);
        made.Add(A, NoControl, 0, 0, 100);

        Assert.Equal("1: 0+100 100+100 200+100 100+100", Describe(made));
        Assert.Equal([3], SliceCounts());
    }

    [Fact]
    public void Plan_ControlChangesAndReturns_KeepsOrder()
    {
        var made = new PlanCase(PlanPeers.Apart);
        made.Add(A, 0, 0, 0, 100);
        made.Add(B, 0, 0, 0, 100);
        made.Add(A, 1, 0, 0, 100);
        made.Add(B, 0, 0, 0, 100);
        made.Add(A, 0, 0, 0, 100);
        made.Add(A, 0, 0, 0, 100);
        made.Add(A, 1, 0, 0, 100);

        Assert.Equal(
            "1: 0+100 | 2: 100+100 300+100 | 1: 200+100 | 1: 400+100 500+100 | 1: 600+100", Describe(made));
    }

    [Fact]
    public void Plan_PeersWithoutPlace_StartNewGsoMessages()
    {
        // Eight peers find a place; the ninth finds it taken each time.
        int[] peers = [.. Enumerable.Range(0, 9), .. Enumerable.Range(0, 9)];
        var made = new PlanCase(PlanPeers.Colliding);
        foreach (int peer in peers) made.Add(peer, NoControl, 0, 0, 100);

        Describe(made);

        Assert.Equal([2, 2, 2, 2, 2, 2, 2, 2, 1, 1], Counts());
    }

    [Fact]
    public void Begin_DatagramsAddedLater_JoinNoGsoMessageBegunOn()
    {
        PlanCase made = Peers(GsoLimits.Default, A, B, A, B);

        made.AddTo(_plan, 0, 2);
        _plan.Begin();
        made.AddTo(_plan, 2, 4);
        _plan.Begin();

        Assert.Equal([1, 2, 1, 2], _plan.Messages.ToArray().Select(message => message.Peer.Port));
    }

    [Fact]
    public void NameDefaultPeer_PartlySent_OnlyFreshGsoMessagesAreNamed()
    {
        PlanCase made = Peers(GsoLimits.Default, PlanCase.DefaultPeer, PlanCase.DefaultPeer);
        made.AddTo(_plan, 0, 1);
        _plan.Begin();
        made.AddTo(_plan, 1, 2);

        _plan.NameDefaultPeer(PlanPeers.Apart[B]);

        Assert.Equal([0, 2], _plan.Messages.ToArray().Select(message => message.Peer.Port));
    }

    [Fact]
    public void Advance_PartOfAGsoMessage_GoesOnBehindIt()
    {
        Sizes(100, 100, 100).AddTo(_plan, 0, 3);
        Assert.False(_plan.HasUnsent);
        _plan.Begin();

        _plan.Advance(2);
        Assert.Equal((0, 2, 1, true), (_plan.NextMessage, _plan.NextSegment, _plan.Count, _plan.HasUnsent));
        _plan.Advance(1);
        Assert.Equal((1, 0, 0, false), (_plan.NextMessage, _plan.NextSegment, _plan.Count, _plan.HasUnsent));
    }

    [Fact]
    public void Plan_SteadyState_DoesNotAllocate()
    {
        PlanCase made = Peers(GsoLimits.Default, [.. Enumerable.Range(0, 200).Select(i => i % PlanPeers.Count)]);
        Plan();

        long beforeBytes = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100; i++) Plan();

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - beforeBytes);

        void Plan()
        {
            _plan.Clear();
            made.AddTo(_plan, 0, made.Datagrams.Count);
            _plan.Begin();
        }
    }

    private static PlanCase Sizes(params int[] sizesBytes) => Sizes(GsoLimits.Default, sizesBytes);

    private static PlanCase Sizes(GsoLimits limits, params int[] sizesBytes)
    {
        var made = new PlanCase(PlanPeers.Apart) { Limits = limits };
        foreach (int sizeBytes in sizesBytes)
        {
            made.Add(A, NoControl, 0, 0, sizeBytes);
        }

        return made;
    }

    private static PlanCase Peers(GsoLimits limits, params int[] peerIndexes)
    {
        var made = new PlanCase(PlanPeers.Apart) { Limits = limits };
        foreach (int peerIndex in peerIndexes)
        {
            made.Add(peerIndex, NoControl, 0, 0, 100);
        }

        return made;
    }

    private string Describe(PlanCase made)
    {
        _plan = new SendPlan(made.Limits, PlanPeers.Capacity);
        made.AddTo(_plan, 0, made.Datagrams.Count);
        _plan.Begin();
        return PlannedMessages.Describe(_plan, made.Limits);
    }

    private int[] Counts() => [.. _plan.Messages.ToArray().Select(message => message.SegmentCount)];

    private int[] SliceCounts() => [.. _plan.Messages.ToArray().Select(message => message.IovecCount)];
}
