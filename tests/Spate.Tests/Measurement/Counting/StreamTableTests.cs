using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

public sealed class StreamTableTests
{
    private const int Window = 64;
    private const int PayloadBytes = 100;

    [Fact]
    public void Add_ForeignPayloads_AreOther()
    {
        var table = new StreamTable();

        Assert.Equal(TestDatagramKind.Other, table.Add([]));
        Assert.Equal(TestDatagramKind.Other, table.Add(new byte[24]));
        Assert.Equal(TestDatagramKind.Other, table.Add("an iperf datagram, for example"u8));

        Assert.Equal(new StreamTotals { OtherDatagrams = 3 }, table.Totals);
        Assert.Equal(0, table.Streams.Length);
    }

    [Fact]
    public void Add_UnknownVersionOrKind_IsCountedApart()
    {
        var table = new StreamTable();
        byte[] payload = new byte[PayloadBytes];
        TestDatagram.WriteData(payload, 1, 0, 1);
        payload[4] = 3;

        Assert.Equal(TestDatagramKind.Unknown, table.Add(payload));

        Assert.Equal(new StreamTotals { UnknownDatagrams = 1 }, table.Totals);
        Assert.Equal(0, table.Streams.Length);
    }

    [Fact]
    public void Add_InterleavedStreams_AreCountedApart()
    {
        var table = new StreamTable(capacity: 8, Window);
        for (int sequence = 0; sequence < 100; sequence++)
        {
            AddData(table, 1, sequence);
            AddData(table, 2, 2 * sequence);
            AddData(table, 0, 0);
        }

        AddEnd(table, 1, 110);

        Assert.Equal([1UL, 2UL, 0UL], table.Streams.ToArray().Select(static stream => stream.Id));
        Assert.Equal(10, table.Streams[0].Counts.Lost);
        Assert.Equal(99, table.Streams[1].Counts.Lost);
        Assert.Equal(99, table.Streams[2].Counts.Duplicated);
        Assert.Equal(100 * PayloadBytes, table.Streams[2].Bytes);
        StreamTotals expected = new()
        {
            Streams = 3,
            EndedStreams = 1,
            Bytes = 300 * PayloadBytes,
            Counts = new SequenceCounts { Received = 300, Unique = 201, Duplicated = 99, Lost = 109 },
        };
        Assert.Equal(expected, table.Totals);
    }

    [Fact]
    public void Add_EndAnnouncements_AreNotData()
    {
        var table = new StreamTable();
        AddData(table, 9, 0);

        Assert.Equal(TestDatagramKind.End, AddEnd(table, 9, 1));
        Assert.Equal(TestDatagramKind.End, AddEnd(table, 9, 1));

        Assert.Equal(1, table.Totals.Counts.Received);
        Assert.Equal(PayloadBytes, table.Totals.Bytes);
        Assert.Equal(1, table.Totals.EndedStreams);
    }

    [Fact]
    public void Add_TotalsOfUnnumberedDatagrams_CountOncePerSender()
    {
        var table = new StreamTable();
        var payload = new byte[TestDatagram.HeaderBytes];
        for (int copy = 0; copy < 3; copy++)
        {
            for (ulong id = 0; id < 2000; id++)
            {
                TestDatagram.WriteTotal(payload, id % 500, 10);
                Assert.Equal(TestDatagramKind.Total, table.Add(payload));
            }
        }

        Assert.Equal(new StreamTotals { UnnumberedSenders = 500, UnnumberedSent = 5000 }, table.Totals);
        Assert.Equal(0, table.Streams.Length);
    }

    [Fact]
    public void Add_FullOfOpenStreams_NewcomersAreUntracked()
    {
        var table = new StreamTable(capacity: 4096, Window);
        for (ulong id = 0; id < 4096; id++)
        {
            Assert.Equal(TestDatagramKind.Data, AddData(table, id, 0));
        }

        for (int copy = 0; copy < 3; copy++)
        {
            Assert.Equal(TestDatagramKind.Data, AddData(table, 10_000, copy));
            Assert.Equal(TestDatagramKind.End, AddEnd(table, 10_001, 5));
        }

        AddData(table, 4095, 1);

        StreamTotals totals = table.Totals;
        Assert.Equal(4096, totals.Streams);
        Assert.Equal(4097, totals.Counts.Received);
        Assert.Equal(2, totals.UntrackedStreams);
        Assert.Equal(3, totals.UntrackedDatagrams);
    }

    [Fact]
    public void Add_FloodOfNewStreams_StaysBounded()
    {
        var table = new StreamTable(capacity: 2, Window);
        AddData(table, ulong.MaxValue, 0);
        AddData(table, ulong.MaxValue - 1, 0);
        for (int i = 0; i < StreamTable.MaxUntrackedStreams; i++)
        {
            AddData(table, (ulong)i, 0);
        }

        var payload = new byte[TestDatagram.HeaderBytes];
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1000; i++)
        {
            TestDatagram.WriteData(payload, 1_000_000 + (ulong)i, 0);
            table.Add(payload);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(StreamTable.MaxUntrackedStreams, table.Totals.UntrackedStreams);
        Assert.Equal(StreamTable.MaxUntrackedStreams + 1000, table.Totals.UntrackedDatagrams);
        Assert.Equal(2, table.Totals.Streams);
    }

    [Fact]
    public void Add_FullWithEndedStreams_OldestEndedMakesRoomAndStaysInTheTotals()
    {
        var table = new StreamTable(capacity: 3, Window);
        AddData(table, 1, 0);
        AddData(table, 2, 0);
        AddData(table, 3, 0);
        AddEnd(table, 3, 4);
        AddEnd(table, 1, 6);

        AddData(table, 4, 0);

        Assert.Equal([1UL, 2UL, 4UL], table.Streams.ToArray().Select(static stream => stream.Id).Order());
        StreamTotals totals = table.Totals;
        Assert.Equal(4, totals.Streams);
        Assert.Equal(2, totals.EndedStreams);
        Assert.Equal(3 + 5, totals.Counts.Lost);
        Assert.Equal(4, totals.Counts.Received);
        Assert.Equal(0, totals.UntrackedDatagrams);
    }

    [Fact]
    public void Add_EndAnnouncedThreeTimes_MakesRoomOnce()
    {
        var table = new StreamTable(capacity: 2, Window);
        AddData(table, 1, 0);
        AddEnd(table, 1, 1);
        AddEnd(table, 1, 1);
        AddEnd(table, 1, 1);
        AddData(table, 2, 0);

        AddData(table, 3, 0);
        AddData(table, 4, 0);

        Assert.Equal([3UL, 2UL], table.Streams.ToArray().Select(static stream => stream.Id));
        Assert.Equal(1, table.Totals.UntrackedDatagrams);
    }

    [Fact]
    public void Add_StragglersOfAStreamThatMadeRoom_OpenNoNewStream()
    {
        var table = new StreamTable(capacity: 1, Window);
        AddData(table, 1, 0);
        AddEnd(table, 1, 2);
        AddData(table, 2, 0);
        AddEnd(table, 2, 1);

        AddEnd(table, 1, 2);
        AddData(table, 1, 1);

        StreamTotals totals = table.Totals;
        Assert.Equal(2UL, table.Streams[0].Id);
        Assert.Equal(2, totals.Streams);
        Assert.Equal(0, totals.UntrackedStreams);
        Assert.Equal(new SequenceCounts { Received = 3, Unique = 2, Lost = 1, Late = 1 }, totals.Counts);
        Assert.Equal(3 * PayloadBytes, totals.Bytes);
    }

    [Fact]
    public void Add_ManySendersOneAfterTheOther_AreAllCountedExactly()
    {
        Random random = RandomCase.Create();
        var table = new StreamTable(capacity: 16, Window);
        long sent = 0;
        long lost = 0;
        const int Senders = 500;
        for (int sender = 0; sender < Senders; sender++)
        {
            ulong id = (ulong)random.NextInt64();
            int total = random.Next(1, 50);
            AddData(table, id, 0);
            for (int sequence = 1; sequence < total; sequence++)
            {
                bool drop = random.Next(4) == 0;
                lost += drop ? 1 : 0;
                if (!drop) AddData(table, id, sequence);
            }

            AddEnd(table, id, total);
            AddEnd(table, id, total);
            sent += total;
        }

        StreamTotals totals = table.Totals;
        Assert.Equal(Senders, totals.Streams);
        Assert.Equal(Senders, totals.EndedStreams);
        Assert.Equal(lost, totals.Counts.Lost);
        Assert.Equal(sent - lost, totals.Counts.Unique);
        Assert.Equal(16, table.Streams.Length);
        Assert.Equal(0, totals.UntrackedStreams);
    }

    [Fact]
    public void End_StreamOfWhichNothingArrived_IsLostAsAWhole()
    {
        var table = new StreamTable();
        table.Open(7)!.Begin(0);

        table.End(7, 50);
        table.End(7, 50);

        Assert.Equal(
            new StreamTotals { Streams = 1, EndedStreams = 1, Counts = new SequenceCounts { Lost = 50 } },
            table.Totals);
        Assert.Equal(50, table.ReadLengths().LossBursts.Max);
        Assert.Throws<ArgumentOutOfRangeException>(() => table.End(7, -1));
    }

    [Fact]
    public void Open_FullOfOpenStreams_IsNull()
    {
        var table = new StreamTable(capacity: 1, Window);

        Assert.Same(table.Open(1), table.Open(1));
        Assert.Null(table.Open(2));
    }

    [Fact]
    public void ReadLengths_StreamsThatMadeRoom_StayInTheSum()
    {
        var table = new StreamTable(capacity: 1, Window);
        for (ulong id = 1; id <= 3; id++)
        {
            AddData(table, id, 0);
            AddEnd(table, id, 3);
        }

        Assert.Equal("3 sum 6 max 2: 0,3", ReferenceTracker.TextOf(table.ReadLengths().LossBursts));
    }

    [Fact]
    public void Add_LateAfterTheFastest_IsAfterTheDeadline()
    {
        var table = new StreamTable(options: new AccountingOptions { Deadline = TimeSpan.FromTicks(10) });

        // Delays of 500, 1500 and 1540 ns over an offset; the last is a copy, and copies do not count.
        AddTimed(table, 0, sent: 1000, arrival: 9500);
        AddTimed(table, 1, sent: 2000, arrival: 11_500);
        AddTimed(table, 2, sent: 3000, arrival: 12_540);
        AddTimed(table, 2, sent: 3000, arrival: 20_000);

        Assert.Equal(1, table.Totals.Counts.AfterDeadline);
        Assert.Throws<ArgumentOutOfRangeException>(
            () => new StreamTable(options: new AccountingOptions { Deadline = TimeSpan.Zero }));
    }

    [Fact]
    public void Add_DatagramsWithoutTimes_HaveNoDelay()
    {
        var table = new StreamTable(options: new AccountingOptions { Deadline = TimeSpan.FromTicks(1) });
        AddData(table, 1, 0);
        AddTimed(table, 1, sent: 1, arrival: 0);

        Assert.Equal((2, 0), (table.Totals.Counts.Unique, table.Totals.Counts.AfterDeadline));
        Assert.Null(table.DelayVariation);
    }

    [Fact]
    public void Totals_OfTwoTables_AddUp()
    {
        var first = new StreamTable();
        var second = new StreamTable();
        AddData(first, 1, 3);
        AddData(second, 2, 4);
        second.Add([]);

        StreamTotals sum = first.Totals + second.Totals;

        Assert.Equal(2, sum.Streams);
        Assert.Equal(1, sum.OtherDatagrams);
        Assert.Equal(7, sum.Counts.MissedBeforeFirst);
    }

    [Theory]
    [InlineData(0, Window)]
    [InlineData(65537, Window)]
    [InlineData(1, 65)]
    public void Constructor_OutOfRange_Throws(int capacity, int windowSequences) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new StreamTable(capacity, windowSequences));

    private static TestDatagramKind AddData(StreamTable table, ulong id, long sequence)
    {
        Span<byte> payload = stackalloc byte[PayloadBytes];
        TestDatagram.WriteData(payload, id, sequence);
        return table.Add(payload);
    }

    private static void AddTimed(StreamTable table, long sequence, long sent, long arrival)
    {
        Span<byte> payload = stackalloc byte[PayloadBytes];
        TestDatagram.WriteData(payload, 1, sequence, sent);
        table.Add(payload, arrival);
    }

    private static TestDatagramKind AddEnd(StreamTable table, ulong id, long total)
    {
        Span<byte> payload = stackalloc byte[TestDatagram.HeaderBytes];
        TestDatagram.WriteEnd(payload, id, total);
        return table.Add(payload);
    }
}
