using Spate.Measurement.Pacing;

namespace Spate.Tests.Measurement.Pacing;

public sealed class PacingErrorsTests
{
    private const long Second = 1_000_000_000;
    private const long Microsecond = 1000;

    [Fact]
    public void Add_NothingYet_IsAllZero()
    {
        var errors = new PacingErrors(Second);

        Assert.Equal(0, errors.PercentileMicroseconds(1));
        Assert.Empty(errors.ToReport().Histogram);
    }

    [Fact]
    public void Add_OneBurst_CountsEachDatagramByItsOwnTime()
    {
        var errors = new PacingErrors(Second);

        // Due at 0, 100, ... 400 us, and all sent at 300: 300, 200, 100, 0 and, before its time, 100 us off.
        errors.Add(300 * Microsecond, 100 * Microsecond, 5);

        PacingErrorReport report = errors.ToReport();
        Assert.Equal((5, 1, 5), (errors.Datagrams, errors.Bursts, errors.MostPerBurst));
        Assert.InRange(report.P50Microseconds, 100, 103.2);
        Assert.Equal(300, report.MaxMicroseconds);
        Assert.Equal(
            [new(1, 1), new(2, 0), new(4, 0), new(8, 0), new(16, 0), new(32, 0), new(64, 0), new(128, 2),
                new(256, 1), new HistogramBucket(512, 1)],
            report.Histogram);
    }

    [Theory]
    [InlineData(1_000_000_000)]
    [InlineData(10_000_000)]
    [InlineData(24_000_000)]
    public void Percentile_RandomErrors_IsAtMostOne32ndTooLarge(long ticksPerSecond)
    {
        Random random = RandomCase.Create();
        var errors = new PacingErrors(ticksPerSecond);
        var exact = new List<double>();
        for (int i = 0; i < 5000; i++)
        {
            double microseconds = Math.Exp((random.NextDouble() * 20) - 2);
            double ticks = microseconds * ticksPerSecond / 1e6;
            exact.Add(microseconds);
            errors.Add(random.Next(2) == 0 ? ticks : -ticks, 0, 1);
        }

        exact.Sort();
        foreach (double share in (double[])[0.001, 0.5, 0.9, 0.99, 1])
        {
            double at = exact[Math.Max(0, (int)Math.Ceiling(share * exact.Count) - 1)];
            Assert.InRange(errors.PercentileMicroseconds(share), at * 0.999_999, (at * (1 + (1 / 32.0))) + (1 / 32.0));
        }

        HistogramBucket[] histogram = errors.ToReport().Histogram;
        double from = 0;
        foreach (HistogramBucket bucket in histogram)
        {
            int expected = exact.Count(one => one >= from && one < bucket.BelowMicroseconds);
            Assert.InRange(bucket.Datagrams, expected - 1, expected + 1);
            from = bucket.BelowMicroseconds;
        }

        Assert.Equal(exact.Count, histogram.Sum(static bucket => bucket.Datagrams));
    }

    [Fact]
    public void Add_HugeError_IsStillTheMax()
    {
        var errors = new PacingErrors(Second);
        errors.Add(1e15, 0, 1);

        Assert.Equal(1, errors.Datagrams);
        Assert.Equal(1, errors.ToReport().Histogram.Sum(static bucket => bucket.Datagrams));
    }

    [Fact]
    public void Merge_TwoFlows_AreCountedTogether()
    {
        var one = new PacingErrors(Second);
        var other = new PacingErrors(Second);
        one.Add(10 * Microsecond, 0, 3);
        other.Add(70 * Microsecond, 0, 1);
        other.Add(5 * Microsecond, 0, 1);

        one.Merge(other);

        Assert.Equal((5, 3, 3), (one.Datagrams, one.Bursts, one.MostPerBurst));
        Assert.Equal(70, one.PercentileMicroseconds(1));
        Assert.InRange(one.PercentileMicroseconds(0.8), 10, 10.4);
    }
}
