using Spate.Cli.Bench;
using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Bench.Throughput;
using Spate.HostTuning.Placement;
using Spate.Measurement.HostUse;
using Spate.Tests.Cli.Bench.Designs;
using Spate.Tests.Cli.Bench.Drain;
using Spate.Tests.Cli.Bench.Sessions;
using Spate.Tests.Cli.Bench.Sockets;
using Spate.Tests.Cli.Bench.Sweep;
using Spate.Tests.Cli.Bench.Throughput;

namespace Spate.Tests.Cli.Bench;

/// <summary>
/// Every bench that is interrupted in its second round reports the first. RoundRunnerTests has the rules of the rounds,
/// which are made up here.
/// </summary>
public sealed class InterruptedBenchTests : IDisposable
{
    private static readonly CpuPlacement Anywhere = new(null, null, "not pinned");

    private readonly MadeUpCourse _course = new();

    public InterruptedBenchTests() => _course.OnStep = step =>
    {
        if (step.Round == 2) _course.Interrupt();
    };

    public void Dispose() => _course.Dispose();

    [Fact]
    public void Throughput_InTheSecondRound_GivesTheFirst()
    {
        var options = new ThroughputOptions { SizesBytes = [64] };

        BenchReport report = new ThroughputBench(
            options,
            Anywhere,
            [new FakeTarget("a"), new FakeTarget("b")],
            [new InstalledProgram()],
            static (_, _, _) => RoundMeasurementTests.Sample(),
            static (_, _) => throw new InvalidOperationException("no other program runs after an interruption"),
            _course.Begin(options.Budget)).Execute();

        AssertFirstRound(report);
        Assert.All(report.Rows, static row => Assert.Single(row.Samples));
    }

    [Fact]
    public void Drain_InTheSecondRound_GivesTheFirst()
    {
        var options = new DrainOptions { SizesBytes = [64] };
        FakeDrainTarget[] targets =
            [new("a", _course.Time, static _ => 1), new("b", _course.Time, static _ => 1)];

        DrainReport report = new DrainBench(options, cpu: null, targets, _course.Begin(options.Budget)).Execute();

        AssertFirstRound(report);
        Assert.All(report.Rows, static row => Assert.Single(row.Samples));
    }

    [Fact]
    public void Sessions_InTheSecondRound_GivesTheFirstWithoutAging()
    {
        var options = new SessionsOptions { PeerCounts = [10], SizesBytes = [64] };
        var sessions = new FakeSessions(_course);

        SessionsReport report = new SessionsBench(
            options, cpu: null, sessions.Open, sessions.Fill, sessions.Age, _course.Begin(options.Budget)).Execute();

        AssertFirstRound(report);
        Assert.Equal((0, 0), (report.AgingPasses, sessions.Agings));
    }

    [Fact]
    public void Sockets_InTheSecondRound_GivesTheFirstOfTheFirstNumber()
    {
        var options = new SocketsOptions { SocketCounts = [2, 3], Budget = TimeSpan.FromMinutes(10) };

        SocketsReport report = new SocketsBench(
            options, cpu: null, (count, _) => new FakeSocketSet(_course.Time, count), _course.Begin(options.Budget))
            .Execute();

        AssertFirstRound(report);
        Assert.All(report.Rows, static row => Assert.Equal((2, 1), (row.Sockets, row.Samples.Length)));
    }

    [Fact]
    public void PingPong_InTheSecondRound_GivesTheFirstWithoutIdleServers()
    {
        var options = new PingPongOptions { WarmUpTime = TimeSpan.Zero };
        BenchCourse course = _course.Begin(options.Budget);

        PingPongReport report = new PingPongBench(
            options,
            Anywhere,
            PingTarget.All,
            static (_, _, _, _) => new PingRoundMeasurement(1, 1, 1, 1, 1, 1, 0),
            duration => IdleServers.Measure(duration, course),
            course).Execute();

        AssertFirstRound(report);
        Assert.All(report.Rows, static row => Assert.Single(row.Samples));
        Assert.Empty(report.Idle);
    }

    [Fact]
    public void Relay_InTheSecondRound_GivesTheFirst()
    {
        var options = new RelayOptions();

        RelayReport report = new RelayBench(
            options,
            Anywhere,
            [new("a", null, null!), new("b", null, null!)],
            static (_, _, _) => new RelayMeasurement(1, 1, 0, 1, 1),
            _course.Begin(options.Budget)).Execute();

        AssertFirstRound(report);
        Assert.All(report.Rows, static row => Assert.Single(row.Samples));
    }

    [Fact]
    public void Designs_InTheSecondRound_GivesTheFirst()
    {
        var options = new DesignOptions();

        DesignsReport report = new DesignsBench(
            options,
            generatorCpu: null,
            nanosecondsPerWorkRound: 1,
            [.. DesignTarget.All.Take(2)],
            static (_, _, _) => DesignRowTests.Round(1, 1, 1),
            _course.Begin(options.Budget)).Execute();

        AssertFirstRound(report);
        Assert.All(report.Rows, static row => Assert.Single(row.Samples));
    }

    [Fact]
    public void Sweep_InTheSecondRound_GivesTheFirst()
    {
        using var subject = new FakeSubject(seed: 1);

        SweepReport report = new SweepBench(
            subject,
            [new CpuTrial([0, 1], "the default"), new CpuTrial([1, 0], "ends exchanged")],
            _course.Begin(TimeSpan.FromMinutes(1))).Execute();

        AssertFirstRound(report);
        Assert.Null(report.Best);
        Assert.Empty(report.Repeated);
        Assert.All(report.Rows, row => Assert.Single(row.Samples));
        Assert.All(report.Rows, row => Assert.NotNull(report.FindLimit(row)));
    }

    private static void AssertFirstRound(RoundsReport report)
    {
        Assert.Equal((1, true), (report.Rounds, report.Interrupted));
        Assert.NotEmpty(report.Limits);

        // Both ends of a bench are on the loopback, which Linux names lo.
        LinkReport link = Assert.Single(report.Links);
        if (OperatingSystem.IsLinux()) Assert.Equal("lo", link.Interface);
    }
}
