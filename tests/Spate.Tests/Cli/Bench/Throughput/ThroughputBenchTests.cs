using Spate.Cli.Bench;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Bench.Throughput.Peers;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Throughput;

public sealed class ThroughputBenchTests : IDisposable
{
    private static readonly BenchTarget[] Targets = [new FakeTarget("a"), new FakeTarget("b")];

    private readonly List<string> _order = [];
    private readonly MadeUpCourse _course = new();

    public void Dispose() => _course.Dispose();

    [Fact]
    public void Execute_ThreeRows_InterleavesForthAndBack()
    {
        BenchReport result = Execute(["a", "b", "c"], [64]);

        string[] forth = ["a64", "b64", "c64"];
        string[] back = ["c64", "b64", "a64"];
        string[] expected = [.. forth, .. back, .. forth, .. back];
        Assert.True(expected.SequenceEqual(_order.Take(12), StringComparer.Ordinal), string.Join(' ', _order));
        Assert.Equal((result.Rounds + 1) * 3, _order.Count);
        Assert.Equal("a b c", string.Join(' ', result.Rows.Select(row => row.Name)));
    }

    [Fact]
    public void Execute_WarmUp_IsNotCounted()
    {
        bool first = true;
        BenchReport result = Execute(["a"], [64], (_, _) =>
        {
            RoundMeasurement round = RoundMeasurementTests.Sample(seconds: first ? 0.001 : 2);
            first = false;
            return round;
        });

        BenchRow row = Assert.Single(result.Rows);
        Assert.Equal(0, row.SpreadPercent);
        Assert.Equal(Enumerable.Repeat(300.0, result.Rounds), row.Samples);
    }

    [Fact]
    public void Execute_TwoSizes_GivesTheFactorAgainstSocketAsyncSizeBySize()
    {
        BenchReport result = Execute(["socket-async", "fast"], [64, 1380], (row, size) =>
        {
            bool isFast = string.Equals(row, "fast", StringComparison.Ordinal);
            return RoundMeasurementTests.Sample(seconds: isFast ? 1 : size / 16);
        });

        Assert.Equal([64, 64, 1380, 1380], result.Rows.Select(row => row.SizeBytes));
        Assert.Equal([1, 4, 1, 86], result.Rows.Select(row => result.TimesBaseline(row)!.Value));
    }

    [Fact]
    public void Execute_WithoutSocketAsync_HasNoFactor()
    {
        BenchReport result = Execute(["a"], [64]);
        Assert.All(result.Rows, row => Assert.Null(result.TimesBaseline(row)));
    }

    [Fact]
    public void Execute_RowThatFails_IsSkippedAndTheOthersGoOn()
    {
        int calls = 0;
        BenchReport result = Execute(["good", "bad"], [64], (row, _) =>
            string.Equals(row, "bad", StringComparison.Ordinal) && ++calls == 2
                ? throw new BenchException("it broke")
                : RoundMeasurementTests.Sample());

        Assert.Equal("good", Assert.Single(result.Rows).Name);
        Assert.Equal(new BenchSkippedRow("bad", "it broke"), Assert.Single(result.Skipped));
        Assert.Equal(2, calls);
    }

    [Fact]
    public void Execute_RowThatIsNotAvailable_IsSkippedWithItsReason()
    {
        var absent = new FakeTarget("absent") { Unavailable = "not on this system" };
        BenchReport result = Engine([64]).Execute([absent, new FakeTarget("a")], []);

        Assert.Equal("a", Assert.Single(result.Rows).Name);
        Assert.Equal(new BenchSkippedRow("absent", "not on this system"), Assert.Single(result.Skipped));
    }

    [Fact]
    public void Execute_NoRowCanRun_Throws()
    {
        var absent = new FakeTarget("absent") { Unavailable = "not on this system" };
        var fault = Assert.Throws<BenchException>(
            () => Engine([64]).Execute([absent], []));
        Assert.Contains("not on this system", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Execute_Progress_CountsEveryStepOnce()
    {
        BenchReport result = Execute(["a", "b"], [64, 1380]);

        Assert.Equal(Enumerable.Range(0, _course.Steps.Count), _course.Steps.Select(step => step.StepIndex));
        Assert.All(_course.Steps, step => Assert.Equal(_course.Steps.Count, step.StepCount));
        Assert.Equal(0, _course.Steps[0].Round);
        Assert.Equal(result.Rounds, _course.Steps[^1].Round);
    }

    [Fact]
    public void Execute_Cancelled_Stops()
    {
        Assert.Throws<OperationCanceledException>(() => Engine([64], (_, _) =>
        {
            _course.Interrupt();
            return RoundMeasurementTests.Sample();
        }).Execute([new FakeTarget("a"), new FakeTarget("b")], []));
    }

    [Fact]
    public void Execute_OtherProgramThatFails_IsTriedAtOneSizeOnly()
    {
        int calls = 0;
        MadeUp engine = Engine(
            new ThroughputOptions { SizesBytes = [64, 1380] },
            Take(overhead: 0),
            (_, _) => ++calls > 0 ? throw new BenchException("no figures") : null!);
        BenchReport result = engine.Execute([new FakeTarget("a")], [new InstalledProgram()]);

        Assert.Equal(1, calls);

        // Warm-ups and seven rounds of two sizes, and the program at each of them.
        Assert.All(_course.Steps, static step => Assert.Equal((2 * 8) + 2, step.StepCount));
        Assert.Equal("no figures", Assert.Single(result.Skipped).Reason);
    }

    [Fact]
    public void Execute_MachineAsPlanned_HasSevenRoundsOfASecond()
    {
        BenchReport report = Engine(Options(20), Take(overhead: 0.06)).Execute(Targets, []);

        Assert.Equal((7, 1, false, "here"), (
            report.Rounds, report.RoundSeconds, report.Interrupted, report.Placement));

        // Two rows with a warm-up of 0.2 s.
        Assert.Equal(2 * (0.2 + 0.06 + (7 * 1.06)), report.Seconds, tolerance: 1e-6);
    }

    [Fact]
    public void Execute_SlowMachine_HasFewerAndShorterRounds()
    {
        BenchReport report = Engine(Options(20), Take(overhead: 2)).Execute(Targets, []);

        Assert.Equal((3, 0.6, 20), (report.Rounds, report.RoundSeconds, report.Seconds));
        Assert.Empty(report.Skipped);
    }

    [Fact]
    public void Execute_FirstRoundTookTheTimeOfAProgram_LeavesTheProgramOut()
    {
        BenchReport report = Engine(Options(30), (_, _, _) =>
        {
            if (_course.Steps[^1].Round > 0) _course.Take(20);
            return RoundMeasurementTests.Sample();
        }).Execute(Targets, [new InstalledProgram()]);

        Assert.Equal(2, report.Rows.Length);
        BenchSkippedRow skipped = Assert.Single(report.Skipped);
        Assert.Equal($"No time was left for {skipped.Name}; allow more time.", skipped.Reason);
    }

    private static ThroughputOptions Options(double seconds) =>
        new() { SizesBytes = [64], Budget = TimeSpan.FromSeconds(seconds) };

    private BenchReport Execute(
        string[] names, int[] sizes, Func<string, int, RoundMeasurement>? measure = null) =>
        Engine(sizes, measure).Execute([.. names.Select(name => new FakeTarget(name))], []);

    private MadeUp Engine(int[] sizes, Func<string, int, RoundMeasurement>? measure = null) =>
        Engine(new ThroughputOptions { SizesBytes = sizes }, (target, size, _) =>
        {
            _order.Add($"{target.Name}{size}");
            return measure?.Invoke(target.Name, size) ?? RoundMeasurementTests.Sample();
        });

    private MadeUp Engine(
        ThroughputOptions options,
        Func<BenchTarget, int, TimeSpan, RoundMeasurement> runRound,
        Func<PeerProgram, int, BenchRow>? runPeer = null) => new(
        options,
        runRound,
        runPeer ?? ((_, _) => throw new InvalidOperationException("no other program was asked for")),
        _course.Begin(options.Budget));

    private Func<BenchTarget, int, TimeSpan, RoundMeasurement> Take(double overhead) => (_, _, duration) =>
    {
        _course.Take(duration.TotalSeconds + overhead);
        return RoundMeasurementTests.Sample();
    };

    /// <summary>A bench whose rounds are made up.</summary>
    private sealed class MadeUp(
        ThroughputOptions options,
        Func<BenchTarget, int, TimeSpan, RoundMeasurement> runRound,
        Func<PeerProgram, int, BenchRow> runPeer,
        BenchCourse course)
    {
        public BenchReport Execute(IReadOnlyList<BenchTarget> targets, IReadOnlyList<PeerProgram> peers) =>
            new ThroughputBench(
                options, new CpuPlacement(null, null, "here"), targets, peers, runRound, runPeer, course).Execute();
    }
}
