using Spate.Measurement.Pacing;

namespace Spate.Tests.Measurement.Pacing;

public sealed class RatePacerTests
{
    private const long Second = 1_000_000_000;
    private const long Millisecond = Second / 1000;
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

        long resumed = pacer.NextTicks + (10 * Millisecond);
        Assert.Equal(burst, pacer.Due(resumed, int.MaxValue));
        Assert.Equal(0, pacer.Due(resumed, int.MaxValue));
        Assert.True(pacer.NextTicks > resumed);
    }

    /// <summary>The burst grows with the delay, and no further than a receiver's default buffer takes.</summary>
    [Theory]
    [InlineData(1, 200, 1)]
    [InlineData(1000, 10, 1)]
    [InlineData(1000, 14, 6)]
    [InlineData(1000, 18, 11)]
    [InlineData(1000, 200, 13)]
    [InlineData(5000, 10, 5)]
    [InlineData(5000, 14, 26)]
    [InlineData(5000, 200, 63)]
    [InlineData(7000, 200, 64)]
    [InlineData(60_000, 200, 64)]
    [InlineData(100_000, 200, 100)]
    [InlineData(1_000_000, 200, 1000)]
    public void Due_AfterALongStall_LetsAtMostTenMillisecondsOr64GoAtOnce(double rate, int lateMilliseconds, int burst)
    {
        var pacer = new RatePacer(rate, startTicks: 0, Second);
        pacer.Due(0, Most);

        long resumed = pacer.NextTicks + (lateMilliseconds * Millisecond);
        Assert.Equal(burst, pacer.Due(resumed, int.MaxValue));
        Assert.Equal(0, pacer.Due(resumed, int.MaxValue));
        Assert.True(pacer.NextTicks > resumed);
        Assert.Equal(0, pacer.Due(pacer.NextTicks - 1, Most));
        Assert.InRange(pacer.Due(pacer.NextTicks, Most), 1, burst);
    }

    /// <summary>No window of any length may hold more than the burst and the catch-up rate allow.</summary>
    [Theory]
    [InlineData(100_000, 10, 100)]
    [InlineData(7_777, 10, 8)]
    [InlineData(100_000, 40, 100)]
    [InlineData(7_777, 40, 64)]
    [InlineData(777, 40, 11)]
    public void Due_RandomStalls_KeepsTheAverageAndThePeak(double rate, int maxStallMilliseconds, int burst)
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
                long stall = random.NextInt64(maxStallMilliseconds * Millisecond);
                now += stall;
                nextStall = now + random.NextInt64(60 * Millisecond, 120 * Millisecond) + (5 * stall);
            }
        }

        Assert.InRange(pacer.Granted, (rate * 2) - (rate * maxStallMilliseconds / 1000) - 1, (rate * 2) + 1);
        Assert.Equal(0, pacer.Skipped);
        for (int first = 0; first < grants.Count; first++)
        {
            for (int last = first; last < Math.Min(grants.Count, first + 200); last++)
            {
                double ticks = grants[last].Ticks - grants[first].Ticks;
                long sent = grants[last].SentAfter - grants[first].SentBefore;
                double allowed = burst + (ticks / Second * rate * RatePacer.CatchUpFactor) + 2;
                if (sent < 1 || sent > allowed) Assert.InRange(sent, 1, allowed);
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

    /// <summary>A host so busy that a sleeper waits for its turn, or for two, each time.</summary>
    [Theory]
    [InlineData(100, 1, 6000, 6000, Most)]
    [InlineData(1000, 1, 2700, 2700, Most)]
    [InlineData(1000, 1, 0, 8000, Most)]
    [InlineData(1000, 1, 8000, 8000, Most)]
    [InlineData(1000, 1, 8000, 8000, 1)]
    [InlineData(3000, 1, 0, 16_000, Most)]
    [InlineData(3000, 1, 8000, 8000, 7)]
    [InlineData(10_000, 3, 2700, 2700, Most)]
    [InlineData(10_000, 3, 0, 8000, Most)]
    [InlineData(20_000, 5, 2700, 2700, Most)]
    public void Due_EveryWaitEndsLate_KeepsTheRate(
        double rate, int group, int minLateMicroseconds, int maxLateMicroseconds, int most)
    {
        Random random = RandomCase.Create();
        RatePacer pacer = RunLate(
            rate, group, most, () => random.Next(minLateMicroseconds, maxLateMicroseconds + 1));

        Assert.InRange(pacer.Granted, rate * 2 * 0.97, (rate * 2) + 1);
        Assert.Equal(0, pacer.Skipped);
    }

    /// <summary>A rate that would need larger bursts than a receiver's default buffer takes is not kept.</summary>
    [Theory]
    [InlineData(20_000, 5, 64, 64)]
    [InlineData(20_000, 5, 12, 12)]
    [InlineData(60_000, 15, 64, 64)]
    [InlineData(1_000_000, 250, 64, 500)]
    public void Due_EveryWaitEndsLate_LetsNoMoreGoPerWait(double rate, int group, int lateBurst, int burst)
    {
        RatePacer pacer = RunLate(rate, group, Most, static () => 8000, lateBurst);

        Assert.InRange(pacer.Granted, 0.95 * burst * (2 / 0.009), burst * (2 / 0.008));
        Assert.InRange(pacer.Skipped, rate / 2, rate * 2);
    }

    // A caller as a flow is: it waits for a group, wakes late, and sends in parts until nothing more is due.
    private static RatePacer RunLate(
        double rate, int group, int most, Func<int> lateMicroseconds, int lateBurst = RatePacer.MaxLateBurstDatagrams)
    {
        var pacer = new RatePacer(rate, startTicks: 0, Second, burstSeconds: 0.000_5, lateBurst);
        long now = 0;
        while (now < 2 * Second)
        {
            while (pacer.Due(now, most) == most) continue;
            now = Math.Max(now, pacer.TicksOf(group)) + (lateMicroseconds() * (Millisecond / 1000));
        }

        return pacer;
    }

    [Fact]
    public void Due_CoarseClockAndLate_GrantsFromNextOnAndNotBefore()
    {
        Random random = RandomCase.Create();
        var pacer = new RatePacer(7777, startTicks: 5, ticksPerSecond: 1000);
        long now = 5;
        for (int round = 0; round < 2000; round++)
        {
            if (pacer.NextTicks > now)
            {
                Assert.Equal(0, pacer.Due(pacer.NextTicks - 1, Most));
                now = pacer.NextTicks + random.Next(0, 40);
            }

            Assert.InRange(pacer.Due(now, Most), 1, 64);
        }
    }

    /// <summary>A burst time that holds less than one datagram lets one go.</summary>
    [Fact]
    public void Due_TinyBurst_GrantsOne()
    {
        var pacer = new RatePacer(0.1, startTicks: 0, Second, double.Epsilon);

        Assert.Equal((1, 1), (pacer.BurstDatagrams, pacer.Due(0, Most)));
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
    public void Constructor_LateBurstOutOfRange_Throws(int datagrams) =>
        Assert.Throws<ArgumentOutOfRangeException>(
            () => new RatePacer(1000, 0, Second, lateBurstDatagrams: datagrams));

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(2e9)]
    [InlineData(double.NaN)]
    [InlineData(double.NegativeInfinity)]
    public void Constructor_RateOutOfRange_Throws(double rate) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new RatePacer(rate, 0, Second));
}
