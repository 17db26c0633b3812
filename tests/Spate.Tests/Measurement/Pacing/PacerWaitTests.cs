using System.Diagnostics;
using Spate.Measurement.Interop.Linux;
using Spate.Measurement.Pacing;

namespace Spate.Tests.Measurement.Pacing;

/// <summary>The waits of every mode on the real clock, and the choice among them.</summary>
public sealed class PacerWaitTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(PaceMode.Sleep)]
    [InlineData(PaceMode.Spin)]
    internal void Until_RealClock_NeverReturnsEarly(PaceMode mode)
    {
        var wait = PacerWait.Create(mode);
        for (int i = 0; i < 20; i++)
        {
            long until = TimeProvider.System.GetTimestamp() + (TimeProvider.System.TimestampFrequency / 1000 * i / 5);
            Assert.True(wait.Until(until, 0, Token));
            Assert.True(TimeProvider.System.GetTimestamp() >= until);
        }
    }

    [Theory]
    [InlineData(PaceMode.Sleep)]
    [InlineData(PaceMode.Spin)]
    internal void Until_TimeReached_ReturnsAtOnce(PaceMode mode)
    {
        var wait = PacerWait.Create(mode);

        Assert.True(wait.Until(long.MinValue, 0, Token));
        Assert.True(wait.Until(TimeProvider.System.GetTimestamp(), 0, Token));
    }

    [Theory]
    [InlineData(PaceMode.Sleep)]
    [InlineData(PaceMode.Spin)]
    internal async Task Until_CancelledWhileWaiting_ReturnsFalse(PaceMode mode)
    {
        using var source = new CancellationTokenSource();
        var wait = PacerWait.Create(mode);
        long inAnHour = TimeProvider.System.GetTimestamp() + (3600 * TimeProvider.System.TimestampFrequency);
        Task<bool> waiting = Task.Run(() => wait.Until(inAnHour, 0, source.Token), Token);

        await source.CancelAsync();

        Assert.False(await waiting.WaitAsync(TimeSpan.FromSeconds(30), Token));
    }

    [Fact]
    public void Create_ClockOfATest_IsNotSleptOn()
    {
        Assert.IsType<TimerWait>(PacerWait.Create(PaceMode.Sleep, new FakeTime()));
        Assert.IsType<SpinningWait>(PacerWait.Create(PaceMode.Spin, new FakeTime()));
    }

    /// <summary>An absolute sleep needs the clock of the time stamps to be the one that is slept on.</summary>
    [Fact]
    public void Create_Linux_SleepsOnTheClockOfTheTimeStamps()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "clock_nanosleep is used on Linux only");
        Assert.IsType<SleepingWait>(PacerWait.Create(PaceMode.Sleep));

        long before = TimeProvider.System.GetTimestamp();
        Span<long> now = stackalloc long[2];
        Assert.Equal(0, MonotonicClock.clock_gettime(Time.CLOCK_MONOTONIC, now));
        long after = TimeProvider.System.GetTimestamp();

        Assert.InRange((now[0] * 1_000_000_000) + now[1], before, after);
    }

    [Fact]
    public void Until_Sleeping_SetsTheTimerSlackOfItsThread()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "timer slack exists on Linux only");
        int slack = 0;
        var thread = new Thread(() =>
        {
            PacerWait.Create(PaceMode.Sleep).Until(Stopwatch.GetTimestamp() + (Stopwatch.Frequency / 1000), 0, Token);
            slack = Prctl.prctl(Prctl.PR_GET_TIMERSLACK, 0, 0, 0, 0);
        });
        thread.Start();
        thread.Join();

        Assert.Equal(1, slack);
    }

    [Fact]
    public void ModeFor_LowRates_IsSleep()
    {
        Assert.Equal(PaceMode.Sleep, PacerWait.ModeFor(1));
        Assert.Equal(PaceMode.Sleep, PacerWait.ModeFor(50_000));
        Assert.Equal(PaceMode.Sleep, PacerWait.ModeFor(PacerWait.MinSpinDatagramsPerSecond - 1));
    }
}
