using Spate.Cli.Bench;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Measurement.HostUse;

namespace Spate.Tests.Cli.Bench.PingPong;

/// <summary>The report of rounds whose times are known.</summary>
public sealed class PingPongBenchTests : IDisposable
{
    private static readonly PingTarget[] Targets =
        [new("a", RunsOnPool: false, null!, null!), new("b", RunsOnPool: true, null!, null!, Spins: true)];

    private readonly MadeUpCourse _course = new();
    private readonly List<(int WarmUp, int Count, double MaxSeconds)> _asked = [];
    private readonly List<TimeSpan> _idle = [];

    public void Dispose() => _course.Dispose();

    [Fact]
    public void Execute_ThreeRounds_HasTheMediansOfEachFigure()
    {
        PingPongReport report = Execute(Options(100), target => target == Targets[0]
            ? Round(Now switch { 1 => 30, 2 => 10, _ => 20 })
            : Round(5) with { ServerCpuPercent = null, Lost = 1 });

        PingPongRow row = report.Rows[0];
        Assert.Equal([30, 10, 20], row.Samples);
        Assert.Equal((20, 100), (row.P50Microseconds, row.SpreadPercent));
        Assert.Equal((22, 24), (row.P99Microseconds, row.P999Microseconds));
        Assert.Equal((26, 28), (row.CpuPercent, row.ServerCpuPercent));
        Assert.Equal((300, 0), (row.Pings, row.Lost));
        Assert.Equal(("b", null, 3), (report.Rows[1].Mode, report.Rows[1].ServerCpuPercent, report.Rows[1].Lost));
        Assert.Equal((3, false, "here"), (report.Rounds, report.Interrupted, report.Placement));
        Assert.Equal("idle", Assert.Single(report.Idle).Design);
        Assert.Equal("a b b a a b b a", _course.Order);
        Assert.Equal(["a", "b"], report.Limits.Select(static limit => limit.Row), StringComparer.Ordinal);
    }

    [Fact]
    public void Execute_CpuOfARowThatSpinsIsFull_IsNoLimit()
    {
        _course.BusyPercent = 100;

        PingPongReport report = Execute(Options(100), static _ => Round(1));

        Assert.Equal(
            [(1, CpuLimit.WorkCause), (null, CpuLimit.SpinCause)],
            report.Limits.Select(static limit => (limit.LimitCpu, limit.LimitCause)));
    }

    [Fact]
    public void Execute_ShortWarmUpRounds_AreRepeatedForTheTimeOfTheWarmUp()
    {
        PingPongOptions options = Options(100, warmUp: TimeSpan.FromSeconds(0.3));

        Execute(options, _ =>
        {
            _course.Take(0.1);
            return Round(1);
        });

        // Three times 0.1 s for each of two rows, and three rounds.
        Assert.Equal(Enumerable.Repeat((1000, 100, 2.0), 6), _asked.Take(6));
        Assert.Equal(6 + (3 * 2), _asked.Count);
    }

    [Fact]
    public void Execute_LongRounds_HaveAThirdOfTheTimeThatIsLeft()
    {
        // The idle servers have 30 of 100 s, and the warm-up takes 10 s: 60 s are left for three rounds of two rows.
        PingPongReport report = Execute(Options(100, idle: TimeSpan.FromDays(1)), _ =>
        {
            _course.Take(_asked.Count <= 2 ? 5 : 10);
            return Round(1);
        });

        Assert.All(_asked.Skip(2), static asked => Assert.Equal((1000, 100, 10), asked));
        Assert.Equal((3, 70), (report.Rounds, report.Seconds));
        Assert.Equal(report.IdleSeconds, Assert.Single(_idle).TotalSeconds);
        Assert.InRange(report.IdleSeconds, 4.8, 5);
    }

    [Fact]
    public void Execute_WarmUpTookAllOfTheTime_LetsARoundEndAtOnce()
    {
        PingPongReport report = Execute(Options(10), _ =>
        {
            _course.Take(20);
            return Round(1);
        });

        Assert.Equal(0, _asked[^1].MaxSeconds);
        Assert.Equal("a", Assert.Single(report.Rows).Mode);
        Assert.Equal([new BenchSkippedRow("b", SkippedRows.NoTimeLeft)], report.Skipped);
    }

    [Fact]
    public void Execute_RowThatFails_IsLeftOutWithItsReason()
    {
        PingPongReport report = Execute(
            Options(100), target => target == Targets[0] ? throw new BenchException("it broke") : Round(1));

        Assert.Equal(new BenchSkippedRow("a", "it broke"), Assert.Single(report.Skipped));
        Assert.Equal("b", Assert.Single(report.Rows).Mode);
        Assert.Equal("No row could run: it broke", Assert.Throws<BenchException>(
            () => Execute(Options(100), static _ => throw new BenchException("it broke"))).Message);
    }

    private int Now => _course.Steps[^1].Round;

    private static PingRoundMeasurement Round(double p50) => new(p50, p50 + 2, p50 + 4, p50 + 6, p50 + 8, 100, 0);

    private static PingPongOptions Options(double seconds, TimeSpan? warmUp = null, TimeSpan? idle = null) => new()
    {
        PingCount = 100,
        RoundCount = 3,
        Budget = TimeSpan.FromSeconds(seconds),
        WarmUpTime = warmUp ?? TimeSpan.Zero,
        IdleDuration = idle ?? TimeSpan.Zero,
    };

    private PingPongReport Execute(PingPongOptions options, Func<PingTarget, PingRoundMeasurement> run) =>
        new PingPongBench(
            options,
            new CpuPlacement(0, 1, "here"),
            Targets,
            (target, warmUp, count, maxTime) =>
            {
                _asked.Add((warmUp, count, maxTime.TotalSeconds));
                return run(target);
            },
            duration =>
            {
                _idle.Add(duration);
                return [new IdleRow { Design = "idle", ThreadCount = 2, CpuPercent = 1 }];
            },
            _course.Begin(options.Budget)).Execute();
}
