using Spate.Measurement.Pacing;

namespace Spate.Tests.Measurement.Pacing;

/// <summary>The wait with a clock, sleeps and spins that the test makes: nothing here takes time.</summary>
public sealed class TimerWaitTests
{
    private const long Second = TimeSpan.TicksPerSecond;
    private const long Millisecond = TimeSpan.TicksPerMillisecond;
    private const long SpinTicks = 4;

    private readonly FakeTime _clock = new();
    private long _oversleepTicks = 600;
    private long _spinTicks;
    private int _sleeps;

    private long Now => _clock.GetTimestamp();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public void Until_TimeReached_ReturnsAtOnce()
    {
        long start = Now;
        Assert.True(Wait().Until(start, 0, Token));
        Assert.True(Wait().Until(long.MinValue, 0, Token));
        Assert.Equal(start, Now);
    }

    [Theory]
    [InlineData(1, 10, 0)]
    [InlineData(20, 10, 0.002)]
    [InlineData(500, 10, 0.10)]
    [InlineData(1000, 5, 0.15)]
    public void Until_LowRates_KeepsTheRateAsleep(double rate, int seconds, double maxSpinShare)
    {
        long sent = Pace(rate, seconds);

        Assert.InRange(sent, (rate * seconds * 0.99) - 1, (rate * seconds) + 1);
        Assert.InRange((double)_spinTicks / (seconds * Second), 0, maxSpinShare);
        Assert.True(_sleeps > 0);
    }

    [Theory]
    [InlineData(5_000)]
    [InlineData(100_000)]
    [InlineData(2_000_000)]
    public void Until_HighRates_SpinsAndKeepsTheRate(double rate)
    {
        long sent = Pace(rate, seconds: 1);

        Assert.InRange(sent, rate * 0.99, rate + 1);
        Assert.Equal(0, _sleeps);
    }

    [Theory]
    [InlineData(1, 20)]
    [InlineData(30, 20)]
    [InlineData(100, 10)]
    [InlineData(1000, 5)]
    public void Until_ClockOf15Milliseconds_KeepsTheRate(double rate, int seconds)
    {
        _oversleepTicks = 15 * Millisecond;

        long sent = Pace(rate, seconds);

        Assert.InRange(sent, (rate * seconds * 0.99) - 1, (rate * seconds) + 1);
    }

    [Fact]
    public void Until_OneBadSleep_IsForgotten()
    {
        TimerWait wait = Wait();
        _oversleepTicks = 50 * Millisecond;
        Assert.True(wait.Until(Now + (10 * Millisecond), 0, Token));
        _oversleepTicks = 0;

        for (int i = 0; i < 2000; i++)
        {
            Assert.True(wait.Until(Now + (2 * Millisecond), 0, Token));
        }

        int before = _sleeps;
        Assert.True(wait.Until(Now + (2 * Millisecond), 0, Token));
        Assert.True(_sleeps > before);
    }

    [Fact]
    public void Until_Cancelled_ReturnsFalse()
    {
        using var source = new CancellationTokenSource();
        source.Cancel();
        Assert.False(Wait().Until(Now + Second, 0, source.Token));
        Assert.Equal(0, _sleeps);
    }

    [Fact]
    public async Task Until_CancelledWhileAsleep_ReturnsFalse()
    {
        using var source = new CancellationTokenSource();
        var wait = new TimerWait(TimeProvider.System);
        long inAnHour = TimeProvider.System.GetTimestamp() + (3600 * TimeProvider.System.TimestampFrequency);
        Task<bool> waiting = Task.Run(() => wait.Until(inAnHour, 0, source.Token), Token);

        await source.CancelAsync();

        Assert.False(await waiting.WaitAsync(TimeSpan.FromSeconds(30), Token));
    }

    [Fact]
    public void Until_RealClock_NeverReturnsEarly()
    {
        var wait = new TimerWait(TimeProvider.System);
        for (int i = 0; i < 20; i++)
        {
            long until = TimeProvider.System.GetTimestamp() + (TimeProvider.System.TimestampFrequency / 1000 * i / 5);
            Assert.True(wait.Until(until, 0, Token));
            Assert.True(TimeProvider.System.GetTimestamp() >= until);
        }
    }

    private long Pace(double rate, int seconds)
    {
        TimerWait wait = Wait();
        var pacer = new RatePacer(rate, Now, Second);
        long end = Now + (seconds * Second);
        while (Now < end)
        {
            pacer.Due(Now, 64);
            Assert.True(wait.Until(pacer.NextTicks, pacer.ToleranceTicks, Token));
        }

        return pacer.Granted;
    }

    private TimerWait Wait() => new(_clock, Sleep, Spin);

    private bool Sleep(int milliseconds, CancellationToken cancellationToken)
    {
        _sleeps++;
        _clock.Advance(TimeSpan.FromTicks((milliseconds * Millisecond) + _oversleepTicks));
        return cancellationToken.IsCancellationRequested;
    }

    private void Spin()
    {
        _spinTicks += SpinTicks;
        _clock.Advance(TimeSpan.FromTicks(SpinTicks));
    }
}
