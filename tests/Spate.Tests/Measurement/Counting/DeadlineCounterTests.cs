using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

public sealed class DeadlineCounterTests
{
    private const long Microsecond = 1000;
    private const long Millisecond = 1_000_000;
    private const long Second = 1_000_000_000;
    private const long Offset = 123_456_789_000;

    private readonly DelayFloor _floor = new();
    private readonly List<(long Arrival, long Delay)> _added = [];
    private DeadlineCounter? _counter;

    [Theory]
    [InlineData(100, 10)]
    [InlineData(-100, 10)]
    [InlineData(100, 60)]
    [InlineData(-450, 60)]
    [InlineData(300, 1)]
    public void Count_CleanPathWithClocksThatDrift_IsZero(int partsPerMillion, int seconds)
    {
        Random random = RandomCase.Create();
        for (long arrival = 1; arrival < seconds * Second; arrival += Millisecond)
        {
            Add(arrival, Drift(partsPerMillion, arrival) + random.Next(200_000), Millisecond);
        }

        Assert.Equal(0, _counter!.Count);
    }

    [Theory]
    [InlineData(100, 10)]
    [InlineData(-100, 60)]
    public void Count_LateOnesAndClocksThatDrift_CountsThese(int partsPerMillion, int seconds)
    {
        Random random = RandomCase.Create();
        int late = 0;
        for (long arrival = 1; arrival < seconds * Second; arrival += Millisecond)
        {
            // A late one takes 200 us longer than the deadline and what the slowest others take.
            bool isLate = random.Next(100) == 0;
            late += isLate ? 1 : 0;
            long over = isLate ? (1200 * Microsecond) + random.Next(10_000_000) : random.Next(200_000);
            Add(arrival, Drift(partsPerMillion, arrival) + over, Millisecond);
        }

        Assert.Equal(late, _counter!.Count);
    }

    [Fact]
    public void Count_FastestComesLast_JudgesEarlierOnesByIt()
    {
        for (int i = 1; i <= 3000; i++) Add(i * Millisecond, 5 * Millisecond, Millisecond);
        Assert.Equal(0, _counter!.Count);

        Add(3001 * Millisecond, 0, Millisecond);

        Assert.Equal(3000, _counter.Count);
    }

    [Fact]
    public void Count_RandomDelays_KeepsTheBound()
    {
        Random seeds = RandomCase.Create();
        int judged = 0;
        for (int i = 0; i < 200; i++)
        {
            int seed = seeds.Next();
            var one = new DeadlineCounterTests();
            one.AddRandom(new Random(seed), out long deadline);

            // The bound does not hold for a deadline below twice the drift within a block of the line, 0.25 s here.
            if (deadline < Math.Abs(one._floor.Drift) * Second / 2) continue;

            judged++;
            long slack = one._counter!.ToleranceNanoseconds + (long)(Math.Abs(one._floor.Drift) * Second / 8) + 1;
            Assert.Equal((deadline / 32) + 1, one._counter.ToleranceNanoseconds);
            Assert.True(
                one._counter.Count >= one.CountOver(deadline + slack) && one._counter.Count <= one.CountOver(deadline),
                $"seed {seed}: {one._counter.Count} after {deadline} ns, {one.CountOver(deadline + slack)} to "
                + $"{one.CountOver(deadline)} expected");
        }

        Assert.InRange(judged, 100, 200);
    }

    [Fact]
    public void Count_DelaysThatNoNetworkHas_CannotFail()
    {
        Random random = RandomCase.Create();
        for (int i = 1; i < 20_000; i++)
        {
            long sent = random.NextInt64(1L << random.Next(1, 63));
            Add(i * random.NextInt64(Second), random.Next(2) == 0 ? -sent : sent, deadline: 1 + random.Next(3));
            if (i % 100 == 0) _ = _counter!.Count;
        }

        Assert.InRange(_counter!.Count, 0, 20_000);
    }

    private static long Drift(int partsPerMillion, long arrival) => arrival / 1_000_000 * partsPerMillion;

    /// <summary>Up to nine seconds of delays on both sides of the deadline, which fall now and then.</summary>
    private void AddRandom(Random random, out long deadline)
    {
        deadline = random.NextInt64(1, 200 * Microsecond << random.Next(8));
        int partsPerMillion = random.Next(3) == 0 ? random.Next(-400, 400) : 0;
        long step = random.NextInt64(1, 5 * Millisecond);
        long level = 0;
        for (long arrival = 1; arrival < 9 * Second && _added.Count < 4000; arrival += random.NextInt64(1, 2 * step))
        {
            if (random.Next(500) == 0) level -= random.NextInt64(3 * deadline);
            Add(arrival, level + Drift(partsPerMillion, arrival) + random.NextInt64(2 * deadline), deadline);
        }
    }

    private void Add(long arrival, long delay, long deadline)
    {
        _counter ??= new DeadlineCounter(_floor, deadline);
        _floor.Add(arrival, Offset + delay);
        _counter.Add(arrival, Offset + delay, 1);
        _added.Add((arrival, Offset + delay));
    }

    private long CountOver(long nanoseconds) => _added.Count(one => _floor.Over(one.Arrival, one.Delay) > nanoseconds);
}
