using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Peers;
using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Bench.Throughput;

namespace Spate.Tests.Measurement.Bench.Throughput;

public sealed class BenchEngineTests
{
    private readonly List<string> _order = [];
    private readonly List<BenchStep> _steps = [];

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

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
        BenchReport result = Engine([64]).Execute([absent, new FakeTarget("a")], [], null);

        Assert.Equal("a", Assert.Single(result.Rows).Name);
        Assert.Equal(new BenchSkippedRow("absent", "not on this system"), Assert.Single(result.Skipped));
    }

    [Fact]
    public void Execute_NoRowCanRun_Throws()
    {
        var absent = new FakeTarget("absent") { Unavailable = "not on this system" };
        var fault = Assert.Throws<BenchException>(
            () => Engine([64]).Execute([absent], [], null));
        Assert.Contains("not on this system", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Execute_Progress_CountsEveryStepOnce()
    {
        BenchReport result = Execute(["a", "b"], [64, 1380]);

        Assert.Equal(Enumerable.Range(0, _steps.Count), _steps.Select(step => step.StepIndex));
        Assert.All(_steps, step => Assert.Equal(_steps.Count, step.StepCount));
        Assert.Equal(0, _steps[0].Round);
        Assert.Equal(result.Rounds, _steps[^1].Round);
    }

    [Fact]
    public void Execute_Cancelled_Stops()
    {
        using var cancel = new CancellationTokenSource();
        Assert.Throws<OperationCanceledException>(() => Engine([64], (_, _) =>
        {
            cancel.Cancel();
            return RoundMeasurementTests.Sample();
        }, cancel.Token).Execute([new FakeTarget("a"), new FakeTarget("b")], [], null));
    }

    [Fact]
    public void Execute_OtherProgramThatFails_IsTriedAtOneSizeOnly()
    {
        int calls = 0;
        var engine = new BenchEngine(
            new BenchOptions { SizesBytes = [64, 1380] },
            new CpuPlacement(null, null, ""),
            (_, _, _) => RoundMeasurementTests.Sample(),
            (_, _) => ++calls > 0 ? throw new BenchException("no figures") : null!,
            Cancellation);
        BenchReport result = engine.Execute([new FakeTarget("a")], [new InstalledProgram()], null);

        Assert.Equal(1, calls);
        Assert.Equal("no figures", Assert.Single(result.Skipped).Reason);
    }

    [Theory]
    [InlineData(7)]
    [InlineData(65508)]
    public void Execute_SizeThatCannotBe_IsRefused(int sizeBytes) =>
        Assert.Throws<BenchException>(() => BenchRun.Execute(
            new BenchOptions { SizesBytes = [sizeBytes] }, cancellationToken: Cancellation));

    [Fact]
    public void Execute_UnknownRow_NamesTheKnownOnes()
    {
        var fault = Assert.Throws<BenchException>(() => BenchRun.Execute(
            new BenchOptions { RowNames = ["x\n"] }, cancellationToken: Cancellation));
        Assert.Contains("socket-async", fault.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', fault.Message);
    }

    private BenchReport Execute(
        string[] names, int[] sizes, Func<string, int, RoundMeasurement>? measure = null) =>
        Engine(sizes, measure).Execute(
            [.. names.Select(name => new FakeTarget(name))], [], new Recorder(_steps));

    private BenchEngine Engine(
        int[] sizes,
        Func<string, int, RoundMeasurement>? measure = null,
        CancellationToken? cancellationToken = null) => new(
        new BenchOptions { SizesBytes = sizes },
        new CpuPlacement(null, null, ""),
        (target, size, _) =>
        {
            _order.Add($"{target.Name}{size}");
            return measure?.Invoke(target.Name, size) ?? RoundMeasurementTests.Sample();
        },
        (_, _) => throw new InvalidOperationException("no other program was asked for"),
        cancellationToken ?? Cancellation);

    private sealed class Recorder(List<BenchStep> steps) : IProgress<BenchStep>
    {
        public void Report(BenchStep value) => steps.Add(value);
    }

    private sealed class InstalledProgram : PeerProgram
    {
        public override string Name => OperatingSystem.IsWindows() ? "cmd" : "sh";

        public override bool ControlsOverTcp => true;

        public override string[] ServerArguments(PeerSetup setup) => [];

        public override string[] ClientArguments(PeerSetup setup) => [];

        public override PeerFigures? Parse(string clientOutput, string serverOutput, PeerSetup setup) => null;
    }
}
