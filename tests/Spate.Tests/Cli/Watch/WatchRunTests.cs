using Spate.Cli.Watch;

namespace Spate.Tests.Cli.Watch;

/// <summary>The intervals of a watch, with a clock on which every wait is over at once.</summary>
public sealed class WatchRunTests
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(0.5);

    private readonly JumpingTime _time = new();
    private readonly List<WatchReport> _reports = [];

    public WatchRunTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "what is watched are Linux's counters");

    [Fact]
    public void Run_ThreeIntervals_FollowEachOther()
    {
        WatchReport whole = Run(new WatchOptions { Interval = Interval, IntervalCount = 3 });

        Assert.Equal([(1, 0, 0.5), (2, 0.5, 0.5), (3, 1, 0.5)], Intervals);
        Assert.Equal((null, 1.5), (whole.Interval, whole.Seconds));
    }

    [Fact]
    public void Run_ReadingThatTookLonger_IsNotMadeUpFor()
    {
        // The second interval ends half a second after the first reading, which took 1.2 s.
        Run(new WatchOptions { Interval = Interval, IntervalCount = 3 }, report =>
        {
            if (report.Interval == 1) _time.Advance(TimeSpan.FromSeconds(1.2));
        });

        Assert.Equal([(1, 0, 0.5), (2, 0.5, 1.7), (3, 2.2, 0.5)], Intervals);
    }

    [Theory]
    [InlineData(1.3, 3, 0.3)]
    [InlineData(1.04, 2, 0.5)]
    [InlineData(1, 2, 0.5)]
    public void Run_TimeThatIsNoWholeNumberOfIntervals_ReportsARestOfSomeLength(
        double seconds, int reports, double lastSeconds)
    {
        WatchReport whole = Run(new WatchOptions { Interval = Interval, Duration = TimeSpan.FromSeconds(seconds) });

        Assert.Equal(reports, _reports.Count);
        Assert.Equal(lastSeconds, _reports[^1].Seconds, tolerance: 1e-9);
        Assert.Equal(seconds, whole.Seconds, tolerance: 1e-9);
    }

    [Fact]
    public void Run_NoIntervals_WatchesForTheWholeTime()
    {
        // Longer than one wait may be.
        WatchReport whole = Run(new WatchOptions { Interval = TimeSpan.Zero, Duration = TimeSpan.FromDays(365) });

        Assert.Empty(_reports);
        Assert.Equal(365 * 86_400, whole.Seconds);
    }

    [Fact]
    public void Run_StoppedInAnInterval_ReportsThatPart()
    {
        using var stop = new CancellationTokenSource();
        _time.OnWait = length =>
        {
            if (_reports.Count == 0) return length;
            stop.Cancel();
            return TimeSpan.FromSeconds(0.2);
        };

        WatchReport whole = WatchRun.Run(new WatchOptions { Interval = Interval }, _reports.Add, _time, stop.Token);

        Assert.Equal([(1, 0, 0.5), (2, 0.5, 0.2)], Intervals);
        Assert.Equal(0.7, whole.Seconds, tolerance: 1e-9);
    }

    private IEnumerable<(int Number, double Start, double Seconds)> Intervals => _reports.Select(
        static report => (report.Interval!.Value, Math.Round(report.StartSeconds, 9), Math.Round(report.Seconds, 9)));

    private WatchReport Run(WatchOptions options, Action<WatchReport>? onInterval = null) => WatchRun.Run(
        options,
        report =>
        {
            _reports.Add(report);
            onInterval?.Invoke(report);
        },
        _time,
        TestContext.Current.CancellationToken);
}
