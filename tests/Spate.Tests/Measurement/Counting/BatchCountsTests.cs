using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

public sealed class BatchCountsTests
{
    private const int Window = 1 << 16;

    [Fact]
    public void Post_StreamsScatteredOverPages_CountsLikeOneTable()
    {
        Random random = RandomCase.Create();
        const int StreamCount = 5;
        const int Sequences = 4000;
        var ledger = new StreamLedger(capacity: 16, Window);
        BatchCounts[] pages = [.. Enumerable.Range(0, 4).Select(_ => new BatchCounts(ledger))];
        long lost = 0;
        long twice = 0;
        long foreign = 0;
        byte[] payload = new byte[TestDatagram.HeaderBytes + 40];
        for (int sequence = 0; sequence < Sequences; sequence++)
        {
            for (ulong stream = 0; stream < StreamCount; stream++)
            {
                // The first and the last always come, so that every gap is one in the middle.
                int fate = sequence is 0 or Sequences - 1 ? 9 : random.Next(10);
                lost += fate == 0 ? 1 : 0;
                twice += fate == 1 ? 1 : 0;
                foreign += fate == 2 ? 1 : 0;
                for (int copy = fate == 0 ? 1 : 0; copy < (fate == 1 ? 2 : 1); copy++)
                {
                    TestDatagram.WriteData(payload, stream, sequence);
                    Assert.True(Any(pages, random).Add(payload.AsSpan(0, TestDatagram.HeaderBytes + random.Next(3))));
                }

                if (fate == 2) Assert.True(Any(pages, random).Add("foreign"u8));
            }

            Any(pages, random).PostIfDue();
        }

        Array.ForEach(pages, static page => page.Post());

        StreamTotals totals = ledger.Totals;
        Assert.Equal((lost, twice), (totals.Counts.Lost, totals.Counts.Duplicated));
        Assert.Equal(foreign, totals.OtherDatagrams);
        Assert.Equal((StreamCount * Sequences) - lost, totals.Counts.Unique);
        Assert.Equal(0, totals.Counts.Late);
    }

    [Fact]
    public void Add_Announcements_AreNoDataAndCountOnce()
    {
        var ledger = new StreamLedger(capacity: 4, Window);
        var page = new BatchCounts(ledger);
        byte[] payload = new byte[TestDatagram.HeaderBytes];
        TestDatagram.WriteData(payload, 1, 0);
        Assert.True(page.Add(payload));
        for (int copy = 0; copy < 3; copy++)
        {
            TestDatagram.WriteEnd(payload, 1, 3);
            Assert.False(page.Add(payload));
            TestDatagram.WriteTotal(payload, 2, 50);
            Assert.False(page.Add(payload));
        }

        page.Post();

        StreamTotals totals = ledger.Totals;
        Assert.Equal((1, 1, 2L), (totals.Streams, totals.EndedStreams, totals.Counts.Lost));
        Assert.Equal((1, 50), (totals.UnnumberedSenders, totals.UnnumberedSent));
    }

    [Fact]
    public void Add_UnknownKind_IsNoDatagramAndCountedApart()
    {
        var ledger = new StreamLedger(capacity: 4, Window);
        var page = new BatchCounts(ledger);
        byte[] payload = new byte[TestDatagram.TimedHeaderBytes];
        TestDatagram.WriteData(payload, 1, 0, 1);
        payload[5] = 0x10;

        Assert.False(page.Add(payload));
        page.Post();

        Assert.Equal(new StreamTotals { UnknownDatagrams = 1 }, ledger.Totals);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Add_AnyBitOfTheNextHeaderDiffers_CountsLikeTheTable(bool checksums)
    {
        const int SizeBytes = 40;
        AccountingOptions options = new() { Deadline = TimeSpan.FromTicks(1), Verify = checksums };
        byte[][] next = [.. Enumerable.Range(1, 2).Select(sequence => Payload(sequence, SizeBytes))];
        for (int bit = 0; bit <= 8 * TestDatagram.ChecksummedHeaderBytes; bit++)
        {
            var table = new StreamTable(options: options);
            var ledger = new StreamLedger(options: options);
            var page = new BatchCounts(ledger);
            byte[] other = [.. next[0]];

            // The last turn has a longer datagram instead.
            if (bit < 8 * TestDatagram.ChecksummedHeaderBytes) other[bit / 8] ^= (byte)(1 << (bit % 8));
            else other = Payload(1, SizeBytes + 1);
            page.Begin(1L << 40);
            foreach (byte[] payload in (byte[][])[Payload(0, SizeBytes), other, next[1], Payload(3, SizeBytes)])
            {
                table.Add(payload, 1L << 40, options.Verify);
                page.Add(payload);
            }

            page.Post();

            Assert.Equal((bit, table.Totals), (bit, ledger.Totals));
        }

        byte[] Payload(long sequence, int sizeBytes)
        {
            byte[] payload = new byte[sizeBytes];
            TestDatagram.WriteData(payload, 7, sequence, 1L << 39);
            if (checksums) TestDatagram.WriteChecksum(payload);
            return payload;
        }
    }

    [Fact]
    public void Add_RunUpToTheLargestSequence_DoesNotGoBeyond()
    {
        var ledger = new StreamLedger();
        var page = new BatchCounts(ledger);
        byte[] payload = new byte[64];
        page.Begin(1);
        for (long sequence = TestDatagram.MaxSequence - 2; sequence <= TestDatagram.MaxSequence + 2; sequence++)
        {
            TestDatagram.WriteData(payload, 7, sequence, 1);
            Assert.Equal(sequence <= TestDatagram.MaxSequence, page.Add(payload));
        }

        page.Post();

        Assert.Equal((3, 2), (ledger.Totals.Counts.Unique, ledger.Totals.UnknownDatagrams));
    }

    [Fact]
    public void Add_MoreRunsThanAPageHolds_PostsByItself()
    {
        var ledger = new StreamLedger(capacity: 4, Window);
        var page = new BatchCounts(ledger);
        byte[] payload = new byte[TestDatagram.HeaderBytes];
        for (int sequence = 0; sequence < 2 * 3000; sequence += 2)
        {
            TestDatagram.WriteData(payload, 1, sequence);
            page.Add(payload);
        }

        Assert.InRange(ledger.Totals.Counts.Unique, 2000, 2999);
        page.Post();
        Assert.Equal((3000, 2999), (ledger.Totals.Counts.Unique, ledger.Totals.Counts.Lost));
    }

    private static BatchCounts Any(BatchCounts[] pages, Random random) => pages[random.Next(pages.Length)];
}
