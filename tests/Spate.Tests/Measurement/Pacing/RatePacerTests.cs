using Spate.Measurement.Pacing;

namespace Spate.Tests.Measurement.Pacing;

public sealed class RatePacerTests
{
    private const long Second = FakeClock.TicksPerSecond;
    private const long Millisecond = FakeClock.TicksPerMillisecond;
    private const int Most = 1024;

    [Theory]
    [InlineData(0.01, 1000)]
    [InlineData(1, 100)]
    [InlineData(3, 100)]
    [InlineData(999.9, 20)]
    [InlineData(1000, 20)]
    [InlineData(100_000, 3)]
    [InlineData(1_234_567.8, 2)]
    [InlineData(5_000_000, 1)]
    public void Due_AskedWhenNext_KeepsTheRateExactly(double rate, int seconds)
    {
        var pacer = new RatePacer(rate, startTicks: -77, Second);
        long end = -77 + (seconds * Second);
        long sent = 0;
        for (long now = -77; now < end; now = Math.Max(now, pacer.NextTicks))
        {
            int due = pacer.Due(now, Most);
            Assert.True(due > 0, $"nothing due at {now}, which was next");
            sent += due;
        }

        Assert.InRange(sent, (rate * seconds) - 1, (rate * seconds) + 1);
        Assert.Equal(sent, pacer.Granted);
        Assert.Equal(0, pacer.Skipped);
    }

    [Theory]
    [InlineData(1e-300, RatePacer.MinRate)]
    [InlineData(7, 7)]
    [InlineData(RatePacer.MaxRate, RatePacer.MaxRate)]
    [InlineData(1e300, double.PositiveInfinity)]
    [InlineData(double.PositiveInfinity, double.PositiveInfinity)]
    public void InRange_AnyRate_IsOneThatIsPaced(double asked, double paced)
    {
        Assert.Equal(paced, RatePacer.InRange(asked));
        Assert.Equal(paced, new RatePacer(RatePacer.InRange(asked), startTicks: 0, Second).DatagramsPerSecond);
    }

    [Theory]
    [InlineData(1000)]
    [InlineData(10_000_000)]
    public void Due_CoarseClock_KeepsTheRate(long ticksPerSecond)
    {
        var pacer = new RatePacer(123_456, startTicks: 0, ticksPerSecond);
        long sent = 0;
        for (long now = 0; now < ticksPerSecond; now += Math.Max(1, ticksPerSecond / 10_000))
        {
            sent += pacer.Due(now, Most);
        }

        Assert.InRange(sent, 123_456 * 0.99, 123_457);
    }

    [Fact]
    public void Due_BeforeNext_GrantsNothing()
    {
        var pacer = new RatePacer(1000, startTicks: 0, Second);
        Assert.Equal(1, pacer.Due(0, Most));
        Assert.Equal(Millisecond, pacer.NextTicks);
        Assert.Equal(0, pacer.Due(Millisecond - 1, Most));
        Assert.Equal(1, pacer.Due(Millisecond, Most));
        Assert.Equal(0, pacer.Due(-5, Most));
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(999, 1)]
    [InlineData(100_000, 100)]
    [InlineData(1_000_000, 1000)]
    public void Due_AfterAStall_LetsOneMillisecondGoAtOnce(double rate, int burst)
    {
        var pacer = new RatePacer(rate, startTicks: 0, Second);
        Assert.Equal(burst, pacer.BurstDatagrams);
        pacer.Due(0, Most);

        long resumed = (long)(Second / rate * 50) + (20 * Millisecond);
        Assert.Equal(burst, pacer.Due(resumed, int.MaxValue));
        Assert.Equal(0, pacer.Due(resumed, int.MaxValue));
        Assert.True(pacer.NextTicks > resumed);
    }

    /// <summary>No window of any length may hold more than the burst and the catch-up rate allow.</summary>
    [Theory]
    [InlineData(100_000)]
    [InlineData(7_777)]
    public void Due_RandomStalls_KeepsTheAverageAndThePeak(double rate)
    {
        Random random = RandomCase.Create();
        var pacer = new RatePacer(rate, startTicks: 0, Second);
        var grants = new List<(long Ticks, long SentBefore, long SentAfter)>();
        long now = 0;
        long nextStall = 0;
        while (now < 2 * Second)
        {
            int most = random.Next(1, 300);
            int due = pacer.Due(now, most);
            Assert.InRange(due, 0, most);
            if (due > 0) grants.Add((now, pacer.Granted - due, pacer.Granted));

            now = Math.Max(now + 100, pacer.NextTicks);
            if (now >= nextStall)
            {
                now += random.NextInt64(10 * Millisecond);
                nextStall = now + random.NextInt64(60 * Millisecond, 120 * Millisecond);
            }
        }

        Assert.InRange(pacer.Granted, (rate * 2 * 0.99) - 1, (rate * 2) + 1);
        Assert.Equal(0, pacer.Skipped);
        for (int first = 0; first < grants.Count; first++)
        {
            for (int last = first; last < Math.Min(grants.Count, first + 200); last++)
            {
                double seconds = (double)(grants[last].Ticks - grants[first].Ticks) / Second;
                double allowed = pacer.BurstDatagrams + (seconds * rate * RatePacer.CatchUpFactor) + 2;
                Assert.InRange(grants[last].SentAfter - grants[first].SentBefore, 1, allowed);
            }
        }
    }

    [Fact]
    public void ToleranceTicks_WhileCatchingUp_IsNone()
    {
        var pacer = new RatePacer(1000, startTicks: 0, Second);
        pacer.Due(0, Most);
        Assert.Equal(Millisecond / 2, pacer.ToleranceTicks);

        long resumed = 20 * Millisecond;
        pacer.Due(resumed, Most);
        Assert.True(pacer.NextTicks > resumed);
        Assert.Equal(0, pacer.ToleranceTicks);

        for (long now = resumed; now < 10 * resumed; now = Math.Max(now + 1, pacer.NextTicks))
        {
            pacer.Due(now, Most);
        }

        Assert.Equal(Millisecond / 2, pacer.ToleranceTicks);
        Assert.Equal(10 * resumed / Millisecond, pacer.Granted);
    }

    /// <summary>A datagram that left late within the tolerance does not push the next one off its time.</summary>
    [Fact]
    public void NextTicks_AfterAToleratedDelay_StaysOnTheSchedule()
    {
        var pacer = new RatePacer(1000, startTicks: 0, Second);
        for (int datagram = 0; datagram < 100; datagram++)
        {
            Assert.Equal(datagram * Millisecond, pacer.NextTicks);
            Assert.Equal(1, pacer.Due(pacer.NextTicks + (datagram % 2 * pacer.ToleranceTicks), Most));
        }
    }

    [Fact]
    public void Due_LongStall_GivesTheRestUp()
    {
        var pacer = new RatePacer(1000, startTicks: 0, Second);
        pacer.Due(0, Most);

        long sent = 1;
        for (long now = 10 * Second; now < 20 * Second; now = Math.Max(now + 1, pacer.NextTicks))
        {
            sent += pacer.Due(now, Most);
        }

        Assert.InRange(pacer.Skipped, 9750 - 2, 9750 + 2);
        Assert.Equal(20_000, sent + pacer.Skipped);
    }

    [Fact]
    public void Due_OncePerSecondAfterASuspend_SendsOneNotAll()
    {
        var pacer = new RatePacer(1, startTicks: 0, Second);
        Assert.Equal(1, pacer.Due(0, Most));
        Assert.Equal(1, pacer.Due((100 * Second) + 5, Most));
        Assert.Equal(0, pacer.Due((100 * Second) + 6, Most));
        Assert.Equal(101 * Second, pacer.NextTicks);
        Assert.Equal(99, pacer.Skipped);
    }

    [Fact]
    public void Due_NoLimit_GrantsWhatIsAsked()
    {
        var pacer = new RatePacer(double.PositiveInfinity, startTicks: 0, Second);

        Assert.True(pacer.IsUnlimited);
        Assert.Equal(Most, pacer.Due(0, Most));
        Assert.Equal(Most, pacer.Due(0, Most));
        Assert.Equal(2 * Most, pacer.Granted);
        Assert.True(pacer.NextTicks <= 0);
    }

    [Fact]
    public void Due_AYearLater_IsStillExact()
    {
        var pacer = new RatePacer(100_000, startTicks: 0, Second);
        const long Year = 365L * 86_400 * Second;
        pacer.Due(Year, Most);
        long sent = 0;
        for (long now = Year + Second; now < Year + (2 * Second); now = Math.Max(now, pacer.NextTicks))
        {
            sent += pacer.Due(now, Most);
        }

        Assert.InRange(sent, 100_000, 125_100);
        Assert.Equal((Year / Second * 100_000) + 200_000, pacer.Granted + pacer.Skipped, tolerance: 3100);
    }

    [Theory]
    [InlineData(2_500, 1, 2)]
    [InlineData(50_000, 13, 25)]
    [InlineData(200_000, 50, 100)]
    public void Due_WokenLateEachTime_KeepsTheRate(double rate, int group, int burst)
    {
        var pacer = new RatePacer(rate, startTicks: 0, Second, burstSeconds: 0.000_5);
        Assert.Equal(burst, pacer.BurstDatagrams);

        // Waits for a quarter of a millisecond's datagrams, and wakes 200 us late every time.
        long now = 0;
        while (now < 2 * Second)
        {
            pacer.Due(now, int.MaxValue);
            now = Math.Max(now, pacer.TicksOf(group)) + (Millisecond / 5);
        }

        Assert.InRange(pacer.Granted, (rate * 2 * 0.99) - burst, (rate * 2) + 1);
        Assert.Equal(0, pacer.Skipped);
    }

    [Fact]
    public void GrantedDueTicks_OfEachGrant_IsTheScheduleOfItsFirst()
    {
        var pacer = new RatePacer(1000, startTicks: 7, Second);
        Assert.Equal((7, Millisecond), (pacer.GrantedDueTicks, pacer.IntervalTicks));

        pacer.Due(7 + (Millisecond / 3), Most);
        Assert.Equal(7, pacer.GrantedDueTicks);
        pacer.Due(pacer.NextTicks + 100, Most);
        Assert.Equal(7 + Millisecond, pacer.GrantedDueTicks);
        pacer.Due(pacer.NextTicks - 1, Most);
        Assert.Equal(7 + Millisecond, pacer.GrantedDueTicks);
    }

    [Fact]
    public void TicksOf_MoreThanABurst_IsWhenTheBurstMayLeave()
    {
        var pacer = new RatePacer(100_000, startTicks: 0, Second, burstSeconds: 0.000_5);
        pacer.Due(0, Most);

        Assert.Equal(pacer.NextTicks, pacer.TicksOf(1));
        Assert.Equal(50 * Second / 100_000, pacer.TicksOf(50));
        Assert.Equal(pacer.TicksOf(50), pacer.TicksOf(int.MaxValue));
        Assert.Equal(50, pacer.Due(pacer.TicksOf(50), int.MaxValue));
        Assert.Throws<ArgumentOutOfRangeException>(() => pacer.TicksOf(0));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-0.001)]
    [InlineData(1)]
    public void Constructor_BurstOutOfRange_Throws(double seconds) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new RatePacer(1000, 0, Second, seconds));

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(2e9)]
    [InlineData(double.NaN)]
    [InlineData(double.NegativeInfinity)]
    public void Constructor_RateOutOfRange_Throws(double rate) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new RatePacer(rate, 0, Second));
}
