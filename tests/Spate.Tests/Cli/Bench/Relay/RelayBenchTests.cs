using System.Net.Sockets;
using Spate.Cli.Bench;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Relay;

/// <summary>The report of rounds whose counts and times are known.</summary>
public sealed class RelayBenchTests : IDisposable
{
    private static readonly RelayTarget[] Targets =
        [new(RelayTarget.BaselineName, null, null!), new("fast", null, null!)];

    private readonly MadeUpCourse _course = new();
    private readonly List<double> _asked = [];

    public void Dispose() => _course.Dispose();

    [Fact]
    public void Execute_ThreeRounds_HasTheirMediansAndTheFactorAgainstSocketAsync()
    {
        double[] baseline = [40, 60, 50];
        RelayReport report = Execute(new RelayOptions { RoundCount = 3 }, (target, usesGso) =>
            target == Targets[0]
                ? Round(baseline[Math.Max(0, Now - 1)] * (usesGso ? 1 : 2))
                : Round(usesGso ? 10 : 20 * Math.Max(1, Now)));

        Assert.Equal(
            [(RelayTarget.BaselineName, true), ("fast", true), (RelayTarget.BaselineName, false), ("fast", false)],
            report.Rows.Select(static row => (row.Name, row.UsesGso)));
        Assert.Equal([40, 60, 50], report.Rows[0].Samples);
        Assert.Equal((50, 40, 1), (
            report.Rows[0].CpuPercentOfOneCore, report.Rows[0].SpreadPercent, report.Rows[0].TimesLessThanSocketAsync));

        // Round by round: 4, 6 and 5 times with GSO messages, and 4, 3 and 1.67 times without.
        Assert.Equal((10, 0, 5), (
            report.Rows[1].CpuPercentOfOneCore, report.Rows[1].SpreadPercent, report.Rows[1].TimesLessThanSocketAsync));
        Assert.Equal(3, report.Rows[3].TimesLessThanSocketAsync);
        RelayRow row = report.Rows[3];
        Assert.Equal((450, 500, 10, 3), (row.DatagramsPerSecond, row.SentPerSecond, row.LostPercent, row.Reordered));
        Assert.Equal((3, false, "here"), (report.Rounds, report.Interrupted, report.Placement));
        Assert.Equal(
            ["generate", "sink", "relay"], report.Threads.Select(static thread => thread.Role), StringComparer.Ordinal);
        Assert.Equal(
            [$"{RelayTarget.BaselineName} with GSO messages", "fast with GSO messages"],
            report.Limits.Take(2).Select(static limit => limit.Row),
            StringComparer.Ordinal);
    }

    [Fact]
    public void Execute_WithoutGsoMessages_HasThoseRowsOnly()
    {
        RelayReport report = Execute(
            new RelayOptions { RoundCount = 1, Generators = [false] }, static (_, _) => Round(10), [Targets[1]]);

        RelayRow row = Assert.Single(report.Rows);
        Assert.Equal(("fast", false), (row.Name, row.UsesGso));
        Assert.Null(row.TimesLessThanSocketAsync);
    }

    [Fact]
    public void Execute_MachineAsPlanned_SharesOutTheWholeTime()
    {
        RelayReport report = Execute(Options(24), Take(overhead: 0.15));

        // A warm-up has half a second at most. What it leaves is shared among five rounds of four rows.
        Assert.Equal(Enumerable.Repeat(0.5, 4).Concat(Enumerable.Repeat(0.92, 20)), _asked);
        Assert.Equal((5, 24, 0.92), (report.Rounds, report.Seconds, report.RoundSeconds));
        Assert.Empty(report.Skipped);
    }

    [Fact]
    public void Execute_SlowMachine_HasFewerAndShorterRounds()
    {
        RelayReport report = Execute(Options(24), Take(overhead: 1));

        Assert.Equal((3, 24, 0.5), (report.Rounds, report.Seconds, report.RoundSeconds));
    }

    [Fact]
    public void Execute_TimeIsOverInTheWarmUp_LeavesTheRestOut()
    {
        RelayReport report = Execute(Options(1), Take(overhead: 2));

        Assert.Equal((RelayTarget.BaselineName, true, 1), (
            Assert.Single(report.Rows).Name, report.Rows[0].UsesGso, report.Rounds));
        Assert.Equal(3, report.Skipped.Count);
        Assert.All(report.Skipped, static row => Assert.Equal(SkippedRows.NoTimeLeft, row.Reason));
    }

    [Fact]
    public void Execute_RelayThatFails_IsLeftOutWithItsReason()
    {
        RelayReport report = Execute(new RelayOptions(), static (target, _) =>
            target == Targets[0] ? throw new SocketException((int)SocketError.AccessDenied) : Round(10));

        Assert.All(report.Rows, static row => Assert.Equal(("fast", null), (row.Name, row.TimesLessThanSocketAsync)));
        Assert.Equal(
            [$"{RelayTarget.BaselineName} with GSO messages", $"{RelayTarget.BaselineName} without GSO messages"],
            report.Skipped.Select(static row => row.Name),
            StringComparer.Ordinal);
        BenchException fault = Assert.Throws<BenchException>(
            () => Execute(new RelayOptions(), static (_, _) => throw new BenchException("it broke")));
        Assert.Equal("No row could run: it broke", fault.Message);
    }

    private int Now => _course.Steps[^1].Round;

    private static RelayOptions Options(double seconds) =>
        new() { RoundCount = 5, Budget = TimeSpan.FromSeconds(seconds) };

    private static RelayMeasurement Round(double cpuPercent) => new(1000, 900, 1, 2, cpuPercent);

    private Func<RelayTarget, bool, RelayMeasurement> Take(double overhead) => (_, _) =>
    {
        _course.Take(_asked[^1] + overhead);
        return Round(10);
    };

    private RelayReport Execute(
        RelayOptions options, Func<RelayTarget, bool, RelayMeasurement> run, RelayTarget[]? targets = null) =>
        new RelayBench(
            options,
            new CpuPlacement(null, null, "here"),
            targets ?? Targets,
            (target, usesGso, duration) =>
            {
                _asked.Add(Math.Round(duration.TotalSeconds, 6));
                return run(target, usesGso);
            },
            _course.Begin(options.Budget)).Execute();
}
