using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

public sealed class DelayVariationTests
{
    private const long Millisecond = 1_000_000;
    private const long Offset = 123_456_789_000;

    [Fact]
    public void Of_NoSamples_IsNull() => Assert.Null(DelayVariation.Of([new DelaySamples()]));

    [Fact]
    public void Of_KnownDelays_GivesPercentilesOverTheFastest()
    {
        var samples = new DelaySamples();
        var floor = new DelayFloor();

        // 1000 datagrams, 0 to 999 us over the fastest, the slowest first.
        for (int i = 999; i >= 0; i--) Add(samples, floor, arrival: 1, delay: -Offset + (1000 * i), datagrams: 1);

        DelayVariation variation = DelayVariation.Of([samples])!;
        Assert.Equal((1000, 1000), (variation.Datagrams, variation.Buffers));
        Assert.Equal(
            (499, 899, 989, 998, 999),
            (variation.P50Microseconds, variation.P90Microseconds, variation.P99Microseconds,
                variation.P999Microseconds, variation.MaxMicroseconds));
        Assert.Equal(0, variation.DriftPartsPerMillion);
    }

    [Fact]
    public void Of_BuffersOfSeveralDatagrams_WeighsByDatagrams()
    {
        var samples = new DelaySamples();
        var floor = new DelayFloor();
        Add(samples, floor, arrival: 1, delay: 0, datagrams: 40);
        Add(samples, floor, arrival: 2, delay: 5000, datagrams: 60);

        DelayVariation variation = DelayVariation.Of([samples])!;

        Assert.Equal((100, 2), (variation.Datagrams, variation.Buffers));
        Assert.Equal(5, variation.P50Microseconds);
    }

    [Fact]
    public void Of_StreamsWithOtherOffsets_JudgesEachByItsOwnFastest()
    {
        var samples = new DelaySamples();
        var other = new DelaySamples();
        (DelayFloor near, DelayFloor far) = (new DelayFloor(), new DelayFloor());
        for (int i = 0; i < 100; i++)
        {
            Add(samples, near, arrival: i + 1, delay: 7000, datagrams: 1);
            Add(i % 2 == 0 ? samples : other, far, arrival: i + 1, delay: Offset + 2000, datagrams: 1);
        }

        DelayVariation variation = DelayVariation.Of([samples, other])!;

        Assert.Equal((200, 0), (variation.Datagrams, variation.MaxMicroseconds));
    }

    [Theory]
    [InlineData(50, 120)]
    [InlineData(-120, 120)]
    [InlineData(0, 120)]
    [InlineData(100, 10)]
    [InlineData(-100, 3)]
    public void Of_ClocksThatDrift_DriftIsRemoved(double partsPerMillion, int seconds)
    {
        Random random = RandomCase.Create();
        var samples = new DelaySamples();
        var floor = new DelayFloor();
        for (long arrival = Millisecond; arrival < seconds * 1000 * Millisecond; arrival += 2 * Millisecond)
        {
            // Up to 200 us of jitter; in 120 s a drift of 50 ppm comes to 6 ms.
            long drift = (long)(partsPerMillion * 1e-6 * arrival);
            Add(samples, floor, arrival, Offset + drift + random.Next(200_000), datagrams: 1);
        }

        DelayVariation variation = DelayVariation.Of([samples])!;

        Assert.InRange(variation.DriftPartsPerMillion, partsPerMillion - 8, partsPerMillion + 8);
        Assert.InRange(variation.P50Microseconds, 80, 130);
        Assert.InRange(variation.P99Microseconds, 180, 230);
        Assert.InRange(variation.MaxMicroseconds, 190, 240);
        Assert.Equal(500.0 * seconds, variation.Buffers, 1.0);
    }

    [Fact]
    public void Of_QueueThatIsEmptyAtFirst_IsNotTakenForDrift()
    {
        var samples = new DelaySamples();
        var floor = new DelayFloor();
        for (int i = 1; i <= 10_000; i++)
        {
            // From the first datagram to the last, the delay grows by as much as clocks may drift.
            Add(samples, floor, arrival: i * Millisecond, delay: i < 100 ? 0 : 4 * Millisecond, datagrams: 1);
        }

        DelayVariation variation = DelayVariation.Of([samples])!;

        Assert.Equal(0, variation.DriftPartsPerMillion);
        Assert.Equal((4000, 4000), (variation.P50Microseconds, variation.MaxMicroseconds));
    }

    [Fact]
    public void Of_QueueThatGrows_IsNotTakenForDrift()
    {
        var samples = new DelaySamples();
        var floor = new DelayFloor();
        for (int i = 1; i <= 30_000; i++)
        {
            // A millisecond more every second: ten times what clocks drift at most.
            Add(samples, floor, arrival: i * Millisecond, delay: i * Millisecond / 1000, datagrams: 1);
        }

        DelayVariation variation = DelayVariation.Of([samples])!;

        Assert.Equal(0, variation.DriftPartsPerMillion);
        Assert.InRange(variation.MaxMicroseconds, 29_990, 30_000);
        Assert.InRange(variation.P50Microseconds, 14_900, 15_100);
    }

    [Fact]
    public void Of_MoreThanAreKept_PercentilesStay()
    {
        var samples = new DelaySamples();
        var floor = new DelayFloor();
        Random random = RandomCase.Create();
        for (int i = 0; i < 40 * DelaySamples.MaxSamples; i++)
        {
            Add(samples, floor, arrival: i + 1, delay: random.Next(1_000_000), datagrams: 1);
        }

        DelayVariation variation = DelayVariation.Of([samples])!;

        Assert.Equal(40 * DelaySamples.MaxSamples, variation.Buffers);
        Assert.InRange(variation.P50Microseconds, 470, 530);
        Assert.InRange(variation.P99Microseconds, 980, 997);
        Assert.InRange(variation.MaxMicroseconds, 999, 1000);
    }

    private static void Add(DelaySamples samples, DelayFloor floor, long arrival, long delay, int datagrams)
    {
        floor.Add(arrival, delay);
        samples.Add(floor, arrival, delay, datagrams);
    }
}
