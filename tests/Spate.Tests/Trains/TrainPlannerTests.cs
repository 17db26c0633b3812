using Spate.Trains;

namespace Spate.Tests.Trains;

public sealed class TrainPlannerTests
{
    private const int A = 0;
    private const int B = 1;
    private const int NoControl = SendRun.NoControl;

    private readonly TrainPlan _plan = new(4096);

    [Fact]
    public void Plan_NoRuns_GivesNoTrains() => Assert.Equal("", Describe(new PlanCase()));

    [Fact]
    public void Plan_EqualSizes_GiveOneTrainOfOneSlice()
    {
        Assert.Equal("1: 0+100 100+100 200+100", Describe(Sizes(100, 100, 100)));
        Assert.Equal(1, _plan.Slices.Length);
        Assert.Equal(300, _plan.Slices[0].LengthBytes);
    }

    [Fact]
    public void Plan_ShorterLast_ClosesTrain() =>
        Assert.Equal("1: 0+100 100+50 | 1: 150+50 200+50", Describe(Sizes(100, 50, 50, 50)));

    [Fact]
    public void Plan_LargerNext_StartsTrain() =>
        Assert.Equal("1: 0+100 | 1: 100+101 201+100", Describe(Sizes(100, 101, 100)));

    [Fact]
    public void Plan_EmptyDatagrams_TravelAlone() =>
        Assert.Equal("1: 0+100 | 1: 100+0 | 1: 100+0 | 1: 100+100 200+100", Describe(Sizes(100, 0, 0, 100, 100)));

    [Fact]
    public void Plan_LastTrimmedToNothing_TravelsAlone()
    {
        PlanCase made = Sizes(100, 100);
        made.Add(A, NoControl, 0, 0, 0, isTrimmed: true);
        made.Add(A, NoControl, 0, 0, 100);

        Assert.Equal(2, made.Runs.Length);
        Assert.Equal("1: 0+100 100+100 | 1: 200+0 | 1: 200+100", Describe(made));
    }

    [Fact]
    public void Plan_LargerThanTotalBytesMax_TravelsAlone() => Assert.Equal(
        "1: 0+65001 | 1: 65001+65001 | 1: 130002+10",
        Describe(Sizes(65_001, 65_001, 10)));

    [Fact]
    public void Plan_TotalBytesMax_CutsRun()
    {
        Describe(Sizes([.. Enumerable.Repeat(1380, 100)]));

        Assert.Equal([47, 47, 6], Counts());
        Assert.Equal(47 * 1380, _plan.Trains[0].TotalBytes);
    }

    [Fact]
    public void Plan_TotalBytesMaxMetExactly_StaysInTrain()
    {
        Describe(Sizes([.. Enumerable.Repeat(1000, 65), 1000]));

        Assert.Equal([64, 2], Counts());
        Assert.Equal("1: 0+1000 1000+500", Describe(Sizes(new TrainLimits(64, 1500, 64), 1000, 500)));
        Assert.Equal("1: 0+1000 | 1: 1000+501", Describe(Sizes(new TrainLimits(64, 1500, 64), 1000, 501)));
    }

    [Fact]
    public void Plan_SegmentCountMax_CutsRunWithFewTrains()
    {
        Describe(Sizes([.. Enumerable.Repeat(64, 200), 8]));

        Assert.Equal([64, 64, 64, 9], Counts());
        Assert.Equal(8, _plan.Trains[3].LastBytes);
        Assert.Equal(4, _plan.Slices.Length);
    }

    [Fact]
    public void Plan_SegmentationOff_KeepsEveryDatagramInItsPlace()
    {
        PlanCase made = Peers(TrainLimits.Unsegmented, A, A, B, A);

        Assert.Equal("1: 0+100 | 1: 100+100 | 2: 200+100 | 1: 300+100", Describe(made));
    }

    [Fact]
    public void Plan_AlternatingPeers_AreGathered()
    {
        Assert.Equal(
            "1: 0+100 200+100 400+100 | 2: 100+100 300+100",
            Describe(Peers(TrainLimits.Default, A, B, A, B, A)));
        Assert.Equal([3, 2], SliceCounts());
    }

    [Fact]
    public void Plan_SliceCountMax_StartsTrain() => Assert.Equal(
        "1: 0+100 200+100 | 2: 100+100 300+100 | 1: 400+100 500+100",
        Describe(Peers(new TrainLimits(64, 65_000, 2), A, B, A, B, A, A)));

    [Fact]
    public void Plan_SliceCountMaxReached_StillTakesAdjoiningBytes() => Assert.Equal(
        "1: 0+100 200+100 300+100 | 2: 100+100",
        Describe(Peers(new TrainLimits(64, 65_000, 2), A, B, A, A)));

    [Fact]
    public void Plan_ClosedTrainOfAlternatingPeer_IsNotReopened()
    {
        var made = new PlanCase();
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
        var made = new PlanCase();
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
        var made = new PlanCase();
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
    public void Plan_PeersWithoutPlace_StartNewTrains()
    {
        // Eight peers find a place; the ninth finds it taken each time.
        int[] peers = [.. Enumerable.Range(0, 9), .. Enumerable.Range(0, 9)];
        PlanCase made = Peers(TrainLimits.Default, peers);

        TrainPlanner.Plan<SameHasher>(made.Runs, made.Limits, _plan);

        Assert.Equal([2, 2, 2, 2, 2, 2, 2, 2, 1, 1], Counts());
    }

    [Fact]
    public void Plan_SecondCall_AppendsAndJoinsNothing()
    {
        PlanCase made = Peers(TrainLimits.Default, A, B, A, B);

        TrainPlanner.Plan<PortHasher>(made.Runs[..2], made.Limits, _plan);
        TrainPlanner.Plan<PortHasher>(made.Runs[2..], made.Limits, _plan);

        Assert.Equal([0, 1, 2, 3], _plan.Trains.ToArray().Select(train => train.RunIndex));
    }

    [Fact]
    public void Plan_MoreThanCapacity_Throws()
    {
        var plan = new TrainPlan(3);
        PlanCase made = Peers(TrainLimits.Unsegmented, A, A, A, A);

        InvalidOperationException error = Assert.Throws<InvalidOperationException>(
            () => TrainPlanner.Plan(made.Runs, made.Limits, plan));

        Assert.Contains("3", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Plan_SteadyState_DoesNotAllocate()
    {
        PlanCase made = Peers(TrainLimits.Default, [.. Enumerable.Range(0, 200)]);
        TrainPlanner.Plan(made.Runs, made.Limits, _plan);

        long beforeBytes = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100; i++)
        {
            _plan.Clear();
            TrainPlanner.Plan(made.Runs, made.Limits, _plan);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - beforeBytes);
    }

    private static PlanCase Sizes(params int[] sizesBytes) => Sizes(TrainLimits.Default, sizesBytes);

    private static PlanCase Sizes(TrainLimits limits, params int[] sizesBytes)
    {
        var made = new PlanCase { Limits = limits };
        foreach (int sizeBytes in sizesBytes)
        {
            made.Add(A, NoControl, 0, 0, sizeBytes);
        }

        return made;
    }

    private static PlanCase Peers(TrainLimits limits, params int[] peerIndexes)
    {
        var made = new PlanCase { Limits = limits };
        foreach (int peerIndex in peerIndexes)
        {
            made.Add(peerIndex, NoControl, 0, 0, 100);
        }

        return made;
    }

    private string Describe(PlanCase made)
    {
        _plan.Clear();
        TrainPlanner.Plan<PortHasher>(made.Runs, made.Limits, _plan);
        return PlannedTrains.Describe(_plan, made.Runs, made.Limits);
    }

    private int[] Counts() => [.. _plan.Trains.ToArray().Select(train => train.SegmentCount)];

    private int[] SliceCounts() => [.. _plan.Trains.ToArray().Select(train => train.SliceCount)];
}
