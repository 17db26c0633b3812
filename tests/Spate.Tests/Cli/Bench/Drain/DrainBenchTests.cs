using System.Net.Sockets;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell;
using Spate.Measurement.HostUse;

namespace Spate.Tests.Cli.Bench.Drain;

/// <summary>The report of rounds whose times are known.</summary>
public sealed class DrainBenchTests : IDisposable
{
    // One GSO message of 64 datagrams, and five passes of warm-up.
    private const int Count = 64;
    private const int WarmUps = 5;

    private readonly MadeUpCourse _course = new();

    public void Dispose() => _course.Dispose();

    [Fact]
    public void Execute_ThreeRounds_HasTheirMediansAndSpread()
    {
        var slow = new FakeDrainTarget("slow", _course.Time, Rounds(3, 1, 2)) { FillMicroseconds = 0.5 };
        var fast = new FakeDrainTarget("fast", _course.Time, Rounds(1, 1, 1));

        DrainReport report = Execute(roundCount: 3, seconds: 100, slow, fast);

        Assert.Equal(["slow", "fast"], report.Rows.Select(static row => row.Name), StringComparer.Ordinal);
        DrainRow row = report.Rows[0];
        Assert.Equal([3000, 1000, 2000], row.Samples);
        Assert.Equal((2000, 100), (row.ReceiveNanosecondsPerDatagram, row.ReceiveSpreadPercent));
        Assert.Equal((500, 0), (row.SendNanosecondsPerDatagram, row.SendSpreadPercent));
        Assert.Equal((64, 3), (row.SizeBytes, row.GsoFallbacks));
        Assert.Equal((3, false), (report.Rounds, report.Interrupted));
        Assert.Equal((6, 1 << 20, 1), (report.GsoFallbacks, report.BufferGrantedBytes, report.Flows));
        Assert.Equal(["slow", "fast"], report.Limits.Select(static limit => limit.Row), StringComparer.Ordinal);
        Assert.Equal(("drain", 1), (Assert.Single(report.Threads).Role, report.Threads[0].Cpu));
        Assert.Empty(report.Skipped);

        // A datagram takes 10 us in five warm-ups of both rows. The slow row takes 0.5 us more to send it, eight times.
        Assert.Equal(64e-6 * ((2 * WarmUps * 10) + 6 + 3 + (8 * 0.5)), report.Seconds, tolerance: 1e-9);
        Assert.True(slow.IsClosed && fast.IsClosed);
    }

    [Fact]
    public void Execute_TwoRows_AreInterleavedForthAndBack()
    {
        Execute(roundCount: 3, seconds: 100, Target("a"), Target("b"));

        Assert.Equal("a b b a a b b a", _course.Order);
        Assert.Equal([0, 0, 1, 1, 2, 2, 3, 3], _course.Steps.Select(static step => step.Round));
        Assert.All(_course.Steps, static step => Assert.Equal((3, 8), (step.RoundCount, step.StepCount)));
    }

    [Fact]
    public void Execute_TimeForThreeRounds_ReportsThree()
    {
        // A drain takes a second. The warm-up takes a third of the time: two drains of each row.
        Func<int, double> second = static _ => 1e6 / Count;

        DrainReport report = Execute(
            roundCount: 21,
            seconds: 10,
            new FakeDrainTarget("a", _course.Time, second),
            new FakeDrainTarget("b", _course.Time, second));

        Assert.Equal((3, 10), (report.Rounds, report.Seconds));
        Assert.All(report.Rows, static row => Assert.Equal(3, row.Samples.Length));
        Assert.False(report.Interrupted);
    }

    [Fact]
    public void Execute_CpuOfTheThreadIsFull_IsTheLimitOfEachRow()
    {
        _course.BusyPercent = 97;

        DrainReport report = Execute(roundCount: 1, seconds: 100, Target("a"), Target("b"));

        Assert.All(
            report.Limits,
            static limit => Assert.Equal((1, CpuLimit.WorkCause), (limit.LimitCpu, limit.LimitCause)));
    }

    [Fact]
    public void Execute_DatagramLostInTheSecondRound_LeavesTheRowOut()
    {
        var lossy = new FakeDrainTarget("lossy", _course.Time, static _ => 1) { LossyDrain = WarmUps + 1 };

        DrainReport report = Execute(roundCount: 3, seconds: 100, lossy, Target("b"));

        Assert.Equal(("b", 3), (Assert.Single(report.Rows).Name, report.Rounds));
        Assert.Equal(
            new BenchSkippedRow(
                "lossy", "64 of 64 datagrams were sent and 63 arrived, with a receive buffer of 1048576 bytes"),
            Assert.Single(report.Skipped));
    }

    [Fact]
    public void Execute_RowThatCannotOpen_IsLeftOutWithItsReason()
    {
        var closed = new FakeDrainTarget("closed", _course.Time, static _ => 1)
        {
            Fault = new NotSupportedException("not here"),
        };

        DrainReport report = Execute(roundCount: 1, seconds: 100, closed, Target("b"));

        Assert.Equal(new BenchSkippedRow("closed", "not here"), Assert.Single(report.Skipped));
        Assert.Equal("b", Assert.Single(report.Rows).Name);
        var unreachable = new FakeDrainTarget("unreachable", _course.Time, static _ => 1)
        {
            Fault = new SocketException(13),
        };
        BenchException fault = Assert.Throws<BenchException>(
            () => Execute(roundCount: 1, seconds: 100, closed, unreachable));
        Assert.Equal("No row could run: not here (and 1 other reasons)", fault.Message);
    }

    [Theory]
    [InlineData(20_000, 64, 256 << 20, 19_968)]
    [InlineData(20_000, 1380, 256 << 20, 19_975)]
    [InlineData(20_000, 64, 208 << 10, 320)]
    [InlineData(20_000, 65_507, 256 << 20, 4_066)]
    [InlineData(20_000, 64, 0, 64)]
    public void CountThatFits_AnyBuffer_IsWholeGsoMessages(int wanted, int sizeBytes, int grantedBytes, int expected) =>
        Assert.Equal(expected, DrainBench.CountThatFits(wanted, sizeBytes, grantedBytes));

    [Theory]
    [InlineData(64, 64)]
    [InlineData(1380, 47)]
    [InlineData(8972, 7)]
    [InlineData(65_507, 1)]
    public void GsoMessageLength_AnySize_IsTheFloorProgramsOwn(int sizeBytes, int expected) =>
        Assert.Equal(expected, DrainBench.SegmentCount(sizeBytes));

    private DrainReport Execute(int roundCount, double seconds, params BenchTarget[] targets)
    {
        var options = new DrainOptions
        {
            SizesBytes = [64],
            DatagramCount = Count,
            RoundCount = roundCount,
            Budget = TimeSpan.FromSeconds(seconds),
        };
        return new DrainBench(options, cpu: 1, targets, _course.Begin(options.Budget)).Execute();
    }

    private static Func<int, double> Rounds(params double[] microseconds) =>
        drain => drain < WarmUps ? 10 : microseconds[drain - WarmUps];

    private FakeDrainTarget Target(string name) => new(name, _course.Time, static _ => 1);
}
