using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Results;

namespace Spate.Tests.Cli.Iperf.Iperf3.Flows;

public sealed class ReferenceCounterTests
{
    private const int LengthBytes = 64;
    private const long Wrap = 1L << 32;

    private static int CaseCount => TestWidth.Of(2000, full: 100_000);

    [Fact]
    public void Add_RunsOfARandomPath_CountAsDatagramsOneByOne()
    {
        Random random = RandomCase.Create();
        for (int i = 0; i < CaseCount; i++)
        {
            var counter = new ReferenceCounter(LengthBytes);
            var model = new Model();
            foreach ((long first, int count, long sent, long arrival) in RandomRuns(random))
            {
                counter.Add(first, count, sent, arrival);
                for (int j = 0; j < count; j++) model.Add(first + j, sent, arrival);
            }

            IperfCounts counts = counter.Counts;
            Assert.Equal(model.Highest, counts.Total);
            Assert.Equal(model.Lost, counts.Lost);
            Assert.Equal(model.OutOfOrder, counts.OutOfOrder);
            Assert.Equal(model.Datagrams * LengthBytes, counts.Bytes);
            Assert.Equal(model.Jitter, counts.JitterSeconds, 1e-9);
        }
    }

    [Fact]
    public void Extend_BeyondFourBillion_GoesOn()
    {
        var counter = new ReferenceCounter(LengthBytes);
        long next = 1;
        for (; next < 3 * Wrap; next += (Wrap / 8) - 7)
        {
            Assert.Equal(next, counter.Extend((uint)next));
            counter.Add(next, 1, 0, 0);
            if (next > 10) Assert.Equal(next - 10, counter.Extend((uint)(next - 10)));
        }

        Assert.True(counter.Counts.Total > 2 * Wrap);
        Assert.InRange(counter.Counts.Lost, 2 * Wrap, 3 * Wrap);
    }

    [Fact]
    public void Extend_ReorderedAroundTheWrap_LosesNothing()
    {
        var counter = new ReferenceCounter(LengthBytes);
        counter.Add(1, 1, 0, 0);
        for (long at = Wrap / 4; at < Wrap - 5; at += Wrap / 4) counter.Add(counter.Extend((uint)at), 1, 0, 0);
        counter.Add(counter.Extend((uint)(Wrap - 5)), 1, 0, 0);
        long lostBefore = counter.Counts.Lost;
        foreach (long next in (long[])[Wrap - 4, Wrap - 2, Wrap - 3, Wrap + 1, Wrap - 1, Wrap, Wrap + 2])
        {
            counter.Add(counter.Extend((uint)next), 1, 0, 0);
        }

        Assert.Equal(Wrap + 2, counter.Counts.Total);
        Assert.Equal(lostBefore, counter.Counts.Lost);
        Assert.Equal(3, counter.Counts.OutOfOrder);
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(uint.MaxValue)]
    [InlineData(0x8000_0000u)]
    public void Extend_OfTheFirstDatagram_IsNoSendersCounterBelowOne(uint low) =>
        Assert.True(new ReferenceCounter(LengthBytes).Extend(low) < 1);

    private static IEnumerable<(long First, int Count, long Sent, long Arrival)> RandomRuns(Random random)
    {
        long next = 1;
        long now = random.NextInt64(1L << 40);
        for (int i = random.Next(1, 40); i > 0; i--)
        {
            long first = random.Next(4) switch
            {
                0 => next + random.Next(10),
                1 => Math.Max(1, next - random.Next(20)),
                _ => next,
            };
            int count = random.Next(1, 8);
            now += random.Next(1_000_000);
            yield return (first, count, now + random.Next(1000), now + random.Next(1_000_000));
            next = Math.Max(next, first + count);
        }
    }

    /// <summary>What iperf3 does with one datagram after the other.</summary>
    private sealed class Model
    {
        private double? _transit;

        public long Highest { get; private set; }

        public long Lost { get; private set; }

        public long OutOfOrder { get; private set; }

        public long Datagrams { get; private set; }

        public double Jitter { get; private set; }

        public void Add(long counter, long sent, long arrival)
        {
            Datagrams++;
            if (counter >= Highest + 1)
            {
                Lost += counter - 1 - Highest;
                Highest = counter;
            }
            else
            {
                OutOfOrder++;
                if (Lost > 0) Lost--;
            }

            double transit = arrival - sent;
            double difference = Math.Abs(transit - (_transit ?? transit)) / 1e9;
            _transit = transit;
            Jitter += (difference - Jitter) / 16;
        }
    }
}
