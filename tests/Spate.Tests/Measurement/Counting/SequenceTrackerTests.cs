using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

public sealed class SequenceTrackerTests
{
    private const int Window = 128;

    [Fact]
    public void Counts_NothingSeen_AreZero() => Assert.Equal(default, new SequenceTracker().Counts);

    [Fact]
    public void Add_InOrder_LosesNothing()
    {
        SequenceTracker tracker = Track(Enumerable.Range(0, 1000).Select(i => (long)i));

        Assert.Equal(new SequenceCounts { Received = 1000, Unique = 1000 }, tracker.Counts);
    }

    [Fact]
    public void Add_GapThatIsFilledLater_CountsReorderedNotLost()
    {
        SequenceTracker tracker = Track([0, 1, 4]);
        Assert.Equal(2, tracker.Counts.Lost);

        tracker.Add(3);
        tracker.Add(2);

        Assert.Equal(new SequenceCounts { Received = 5, Unique = 5, Reordered = 2 }, tracker.Counts);
    }

    [Fact]
    public void Add_Copies_CountsDuplicatesOnly()
    {
        SequenceTracker tracker = Track([0, 1, 1, 0, 2, 2, 2]);

        Assert.Equal(new SequenceCounts { Received = 7, Unique = 3, Duplicated = 4 }, tracker.Counts);
    }

    [Fact]
    public void Add_ReceiverCameLate_BeginningIsNotLost()
    {
        SequenceTracker tracker = Track([500, 501, 503]);

        SequenceCounts expected = new() { Received = 3, Unique = 3, Lost = 1, MissedBeforeFirst = 500 };
        Assert.Equal(expected, tracker.Counts);
    }

    [Fact]
    public void Add_LowerThanTheFirst_MovesTheBeginning()
    {
        SequenceTracker tracker = Track([10, 7]);

        SequenceCounts expected = new()
        {
            Received = 2,
            Unique = 2,
            Reordered = 1,
            Lost = 2,
            MissedBeforeFirst = 7,
        };
        Assert.Equal(expected, tracker.Counts);
    }

    [Theory]
    [InlineData(Window - 1, 1, 0)]
    [InlineData(Window, 0, 1)]
    [InlineData(Window + 1, 0, 1)]
    public void Add_AtTheEdgeOfTheWindow_IsReorderedInsideAndLateOutside(long age, long reordered, long late)
    {
        SequenceTracker tracker = Track([0, 1000, 1000 - age]);

        Assert.Equal(reordered, tracker.Counts.Reordered);
        Assert.Equal(late, tracker.Counts.Late);
        Assert.Equal(1001 - 2 - reordered, tracker.Counts.Lost);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(63)]
    [InlineData(64)]
    [InlineData(65)]
    [InlineData(Window - 1)]
    [InlineData(Window)]
    [InlineData(Window + 1)]
    [InlineData(3 * Window)]
    public void Add_RingReusedAfterAGap_RemembersNothingOld(long gap)
    {
        SequenceTracker tracker = Track(Enumerable.Range(0, Window).Select(i => (long)i));
        long next = Window + gap;
        tracker.Add(next);

        for (long sequence = Window; sequence < next; sequence++)
        {
            tracker.Add(sequence);
        }

        SequenceCounts counts = tracker.Counts;
        Assert.Equal(0, counts.Duplicated);
        Assert.Equal(Math.Min(gap, Window - 1), counts.Reordered);
        Assert.Equal(gap - counts.Reordered, counts.Late);
    }

    [Fact]
    public void Add_HugeJumps_AreLossWithoutOverflowOrAllocation()
    {
        // Several times: what the runtime needs to compile the code may be allocated on this thread.
        var tracker = new SequenceTracker();
        long allocated = long.MaxValue;
        for (int attempt = 0; attempt < 5; attempt++)
        {
            tracker.Reset();
            allocated = Math.Min(allocated, AllocationOfHugeJumps(tracker));
        }

        Assert.Equal(0, allocated);
        Assert.Equal(TestDatagram.MaxSequence + 1 - 1002, tracker.Counts.Lost);
        Assert.Equal(1, tracker.Counts.Late);
    }

    private static long AllocationOfHugeJumps(SequenceTracker tracker)
    {
        tracker.Add(0);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 1; i <= 1000; i++)
        {
            tracker.Add(TestDatagram.MaxSequence / 1000 * i);
        }

        tracker.Add(TestDatagram.MaxSequence);
        tracker.Add(5);
        tracker.End(TestDatagram.MaxSequence);
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    [InlineData(TestDatagram.MaxSequence + 1)]
    [InlineData(long.MaxValue)]
    public void Add_OutOfRange_ThrowsAndCountsNothing(long sequence)
    {
        var tracker = new SequenceTracker(Window);

        Assert.Throws<ArgumentOutOfRangeException>(() => tracker.Add(sequence));
        Assert.Throws<ArgumentOutOfRangeException>(() => tracker.End(sequence));
        Assert.Equal(default, tracker.Counts);
    }

    [Fact]
    public void End_TailMissing_CountsItAsLost()
    {
        SequenceTracker tracker = Track([0, 1, 2]);
        Assert.False(tracker.Ended);

        tracker.End(10);
        tracker.End(10);
        Assert.True(tracker.Ended);
        Assert.Equal(7, tracker.Counts.Lost);

        tracker.Add(9);
        Assert.Equal(6, tracker.Counts.Lost);
        Assert.Equal(4, tracker.Counts.Received);
    }

    [Fact]
    public void End_TotalBelowWhatArrived_ChangesNothing()
    {
        SequenceTracker tracker = Track([0, 1, 2]);

        tracker.End(2);

        Assert.Equal(new SequenceCounts { Received = 3, Unique = 3 }, tracker.Counts);
    }

    [Fact]
    public void End_NothingElseArrived_AllIsLost()
    {
        var tracker = new SequenceTracker(Window);

        tracker.End(1000);
        Assert.Equal(new SequenceCounts { Lost = 1000 }, tracker.Counts);

        tracker.Add(300);
        SequenceCounts expected = new() { Received = 1, Unique = 1, Lost = 699, MissedBeforeFirst = 300 };
        Assert.Equal(expected, tracker.Counts);
    }

    [Fact]
    public void Begin_HeadMissing_CountsItAsLost()
    {
        var tracker = new SequenceTracker(Window);
        tracker.Begin(10);
        Assert.Equal(new SequenceCounts { MissedBeforeFirst = 10 }, tracker.Counts);

        tracker.Add(15);

        SequenceCounts expected = new() { Received = 1, Unique = 1, Lost = 5, MissedBeforeFirst = 10 };
        Assert.Equal(expected, tracker.Counts);
        Assert.Equal("1 sum 5 max 5: 0,0,1", ReferenceTracker.TextOf(tracker.Lengths.LossBursts));
    }

    [Fact]
    public void Begin_NothingArrivesBeforeTheEnd_AllIsLostInOneBurst()
    {
        var tracker = new SequenceTracker(Window);
        tracker.Begin(0);

        tracker.End(1000);

        Assert.Equal(new SequenceCounts { Lost = 1000 }, tracker.Counts);
        Assert.Equal(
            "1 sum 1000 max 1000: 0,0,0,0,0,0,0,0,0,1", ReferenceTracker.TextOf(tracker.Lengths.LossBursts));
    }

    [Fact]
    public void Begin_AfterData_IsRefused()
    {
        SequenceTracker tracker = Track([3]);

        Assert.Throws<InvalidOperationException>(() => tracker.Begin(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => new SequenceTracker().Begin(-1));
        Assert.Equal(3, tracker.Counts.MissedBeforeFirst);
    }

    [Fact]
    public void Lengths_KnownArrivals_AreAsTheStandardsDefine()
    {
        // Lost: 2; 5 and 6; 9. Arrived between them: 3 and 4; 7 and 8.
        SequenceTracker tracker = Track([0, 1, 4, 3, 8, 7, 10]);

        Assert.Equal("3 sum 4 max 2: 2,1", ReferenceTracker.TextOf(tracker.Lengths.LossBursts));
        Assert.Equal("2 sum 4 max 2: 0,2", ReferenceTracker.TextOf(tracker.Lengths.LossGaps));
        Assert.Equal("2 sum 2 max 1: 2", ReferenceTracker.TextOf(tracker.Lengths.ReorderExtents));

        // 2 comes five arrivals after 4, the first with a higher sequence; 6 comes four after 8.
        tracker.Add(2);
        tracker.Add(6);
        Assert.Equal("4 sum 11 max 5: 2,0,2", ReferenceTracker.TextOf(tracker.Lengths.ReorderExtents));
        Assert.Equal("2 sum 2 max 1: 2", ReferenceTracker.TextOf(tracker.Lengths.LossBursts));
        Assert.Equal(2, tracker.Lengths.LossBursts.Count);
    }

    [Fact]
    public void Lengths_MoreGapsThanAreKnown_ExtentsOfTheOldestAreUnknown()
    {
        var tracker = new SequenceTracker();
        int gaps = SequenceTracker.MaxKnownGaps + 1;
        for (int i = 0; i <= gaps; i++) tracker.Add(2 * i);

        tracker.Add(1);
        tracker.Add(3);

        Assert.Equal(1, tracker.Lengths.UnknownExtents);
        Assert.Equal($"1 sum {gaps} max {gaps}: 0,0,0,0,0,0,0,0,0,0,1",
            ReferenceTracker.TextOf(tracker.Lengths.ReorderExtents));
        Assert.Equal(2, tracker.Counts.Reordered);
    }

    [Fact]
    public void Lengths_OfTheLongestJump_AreOneBurst()
    {
        SequenceTracker tracker = Track([0, TestDatagram.MaxSequence]);

        Assert.Equal(1, tracker.Lengths.LossBursts.Count);
        Assert.Equal(TestDatagram.MaxSequence - 1, tracker.Lengths.LossBursts.Max);
        Assert.Equal(tracker.Counts.Lost, tracker.Lengths.LossBursts.Sum);
    }

    [Fact]
    public void Reset_AfterUse_IsLikeNew()
    {
        SequenceTracker tracker = Track([5, 6, 9, 9, 2000, 3]);
        tracker.End(3000);

        tracker.Reset();
        Assert.Equal(default, tracker.Counts);
        Assert.False(tracker.Ended);

        tracker.Add(9);
        tracker.Add(5);
        SequenceCounts expected = new()
        {
            Received = 2,
            Unique = 2,
            Reordered = 1,
            Lost = 3,
            MissedBeforeFirst = 5,
        };
        Assert.Equal(expected, tracker.Counts);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-64)]
    [InlineData(32)]
    [InlineData(100)]
    [InlineData(1 << 25)]
    [InlineData(int.MinValue)]
    public void Constructor_WindowNoPowerOfTwo_Throws(int windowSequences) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new SequenceTracker(windowSequences));

    [Fact]
    public void Counts_AddedBeyondTheLargest_Saturate()
    {
        SequenceCounts huge = new() { Received = long.MaxValue - 1, Lost = long.MaxValue, Late = 1 };

        SequenceCounts sum = huge + huge;

        Assert.Equal(new SequenceCounts { Received = long.MaxValue, Lost = long.MaxValue, Late = 2 }, sum);
    }

    [Fact]
    public void LostPercent_OfWhatWasSent_CountsFromTheFirst()
    {
        Assert.Equal(25, new SequenceCounts { Unique = 3, Lost = 1, MissedBeforeFirst = 50 }.LostPercent);
        Assert.Equal(0, default(SequenceCounts).LostPercent);
        Assert.Equal(100, new SequenceCounts { Lost = long.MaxValue }.LostPercent);
    }

    private static SequenceTracker Track(IEnumerable<long> sequences)
    {
        var tracker = new SequenceTracker(Window);
        foreach (long sequence in sequences)
        {
            tracker.Add(sequence);
        }

        return tracker;
    }
}
