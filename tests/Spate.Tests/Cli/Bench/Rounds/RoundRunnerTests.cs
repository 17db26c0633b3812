using System.Net.Sockets;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Rounds;

public sealed class RoundRunnerTests : IDisposable
{
    private readonly MadeUpCourse _made = new();
    private readonly List<string> _ran = [];
    private BenchCourse _course;
    private Cell[] _cells = [];

    public RoundRunnerTests() => _course = _made.Begin(0);

    public void Dispose() => _made.Dispose();

    [Fact]
    public void Run_ThreeCells_InterleavesForthAndBack()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 3, seconds: 100);

        runner.WarmUp(Seconds(100), Take(seconds: 1));
        int rounds = runner.Run(3, Seconds(100), Measure(seconds: 1));

        Assert.Equal(3, rounds);
        Assert.Equal("0 1 2 2 1 0 0 1 2 2 1 0", string.Join(' ', _ran));
        Assert.Equal([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3], _made.Steps.Select(static step => step.Round));
        Assert.Equal(Enumerable.Range(0, 12), _made.Steps.Select(static step => step.StepIndex));
    }

    [Fact]
    public void Run_RoundThatWouldNotFit_IsNotBegun()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 2, seconds: 10);

        int rounds = runner.Run(100, Seconds(10), Measure(seconds: 1.5));

        Assert.Equal(3, rounds);
        Assert.Equal(Seconds(9), _course.Budget.Elapsed);
        Assert.Empty(_course.Skipped.All);
    }

    [Fact]
    public void Run_FirstRoundTooLong_SkipsTheCellsThatDoNotFit()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 4, seconds: 5);

        int rounds = runner.Run(100, Seconds(5), Measure(seconds: 2));

        Assert.Equal(1, rounds);
        Assert.Equal([new BenchSkippedRow("0", SkippedRows.NoTimeLeft)], _course.Skipped.All);
        Assert.Equal([0, 1, 1, 1], _cells.Select(static cell => cell.Rounds.Count));
        Assert.Equal([0, 1, 1, 1], _cells.Select(static cell => cell.Cores.Count));
        Assert.Equal(Seconds(6), _course.Budget.Elapsed);
    }

    [Fact]
    public void Run_TimeIsOverAlready_RunsOneCell()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 3, seconds: 1);
        _made.Take(2);

        Assert.Equal(1, runner.Run(100, Seconds(1), Measure(seconds: 1)));

        Assert.Equal(["1", "0"], _course.Skipped.All.Select(static row => row.Name), StringComparer.Ordinal);
    }

    [Fact]
    public void Run_TimeIsOverAndTheFirstCellFailed_RunsTheNext()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 3, seconds: 1);
        runner.WarmUp(Seconds(1), cell => Fail(cell, "2"));
        _made.Take(2);

        Assert.Equal(1, runner.Run(100, Seconds(1), Measure(seconds: 1)));

        Assert.Equal(["2", "0"], _course.Skipped.All.Select(static row => row.Name), StringComparer.Ordinal);
        Assert.Equal([0, 1, 0], _cells.Select(static cell => cell.Rounds.Count));
    }

    [Fact]
    public void Run_EveryCellNeeded_SkipsNoneForWantOfTime()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 3, seconds: 1, needsEveryCell: true);

        runner.WarmUp(Seconds(1), Take(seconds: 2));
        Assert.Equal(1, runner.Run(100, Seconds(1), Measure(seconds: 2)));

        Assert.Empty(_course.Skipped.All);
        Assert.All(_cells, static cell => Assert.Single(cell.Rounds));
    }

    [Fact]
    public void WarmUp_LongCells_TakesHalfOfTheTimeAtMost()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 8, seconds: 10);

        TimeSpan each = runner.WarmUp(Seconds(10), Take(seconds: 2));

        Assert.Equal("0 1 2", string.Join(' ', _ran));
        Assert.Equal(5, _course.Skipped.All.Count);
        Assert.Equal(Seconds(6) / 8, each);
        Assert.All(_cells, static cell => Assert.Empty(cell.Rounds));
    }

    [Fact]
    public void WarmUp_LateCellsNotToBeSkipped_RunsThemAll()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 8, seconds: 10);

        runner.WarmUp(Seconds(10), Take(seconds: 2), skipsLate: false);

        Assert.Equal(8, _ran.Count);
        Assert.Empty(_course.Skipped.All);
    }

    [Fact]
    public void RunCounted_WarmUpAndRounds_AreToldTheirShareOfTheTime()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 2, seconds: 100);
        List<double> told = [];

        int rounds = runner.RunCounted(4, roundCount: 5, Seconds(80), Warm, (cell, maxTime) =>
        {
            Warm(cell, maxTime);
            return 1;
        });

        // A quarter of 80 s for the warm-up of two cells, and of the 78 s that are left a third for each round.
        Assert.Equal((5, 12), (rounds, told.Count));
        Assert.Equal([10, 10], told.Take(2));
        Assert.All(told.Skip(2), static seconds => Assert.Equal(13, seconds));

        void Warm(Cell cell, TimeSpan maxTime)
        {
            told.Add(maxTime.TotalSeconds);
            Take(seconds: 1)(cell);
        }
    }

    [Theory]
    [InlineData(1, 3)]
    [InlineData(5, 0)]
    public void RunTimed_TimeForThreeRounds_RunsThemIfAsManyAreEnough(int minRounds, int expected)
    {
        RoundRunner<Cell, int> runner = Runner(cells: 2, seconds: 10);
        var lengths = new RoundLengths(Seconds(1), Seconds(1), Seconds(3), MaxRounds: 5, minRounds);

        (int complete, TimeSpan length) = runner.RunTimed(lengths, Seconds(10), (cell, duration) =>
        {
            Take(duration.TotalSeconds)(cell);
            return 1;
        });

        // The warm-up leaves 8 s: five rounds of two cells would be shorter than a second.
        Assert.Equal((expected, 8.0 / 6), (complete, length.TotalSeconds), (one, other) =>
            one.Item1 == other.Item1 && Math.Abs(one.Item2 - other.Item2) < 1e-6);
        Assert.Equal(2 * (1 + expected), _ran.Count);
    }

    [Fact]
    public void Run_CellThatFailsInTheSecondRound_IsSkippedAndTheOthersGoOn()
    {
        foreach (Exception fault in new Exception[] { new BenchException("it broke"), new SocketException(13) })
        {
            RoundRunner<Cell, int> runner = Runner(cells: 2, seconds: 100);
            int calls = 0;

            int rounds = runner.Run(
                3, Seconds(100), cell => cell == _cells[0] && ++calls == 2 ? throw fault : 7);

            Assert.Equal((3, 2), (rounds, calls));
            Assert.Equal([0, 3], _cells.Select(static cell => cell.Rounds.Count));
            Assert.Equal([0, 3], _cells.Select(static cell => cell.Cores.Count));
            Assert.Equal(new BenchSkippedRow("0", fault.Message), _course.Skipped.All[^1]);
        }
    }

    [Fact]
    public void Run_CellThatFailsWhereEachIsNeeded_EndsTheBenchmark()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 2, seconds: 100, needsEveryCell: true);

        Assert.Throws<BenchException>(
            () => runner.Run(3, Seconds(100), static _ => throw new BenchException("it broke")));
    }

    [Fact]
    public void Run_InterruptedInTheThirdRound_TwoCount()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 2, seconds: 100);
        int calls = 0;

        int complete = runner.Run(100, Seconds(100), _ =>
        {
            if (++calls == 5) _made.Interrupt();
            return calls;
        });

        Assert.Equal(2, complete);
        Assert.Equal([2, 3], _cells[0].Rounds);
        Assert.Equal([1, 4], _cells[1].Rounds);
        Assert.Equal([2, 2], _cells.Select(static cell => cell.Cores.Count));
    }

    [Fact]
    public void Run_InterruptedInTheFirstRound_Throws()
    {
        RoundRunner<Cell, int> runner = Runner(cells: 2, seconds: 100);

        Assert.Throws<OperationCanceledException>(() => runner.Run(100, Seconds(100), _ =>
        {
            _made.Interrupt();
            return 1;
        }));
    }

    [Theory]
    [InlineData(20, 5, 1.9)]
    [InlineData(5, 5, 0.4)]
    [InlineData(2, 5, 0.1)]
    [InlineData(1, 3, 0.05)]
    [InlineData(0.4, 1, 0.1)]
    [InlineData(0, 1, 0.05)]
    public void Fit_TimeThatIsLeft_IsSharedOut(double left, int rounds, double seconds)
    {
        (int roundCount, TimeSpan length) = BenchBudget.Fit(
            Seconds(left), 2, Seconds(0.1), 5, Seconds(0.05), Seconds(3));

        Assert.Equal(rounds, roundCount);
        Assert.Equal(seconds, length.TotalSeconds, tolerance: 0.02);
    }

    private static TimeSpan Seconds(double seconds) => TimeSpan.FromSeconds(seconds);

    private RoundRunner<Cell, int> Runner(int cells, double seconds, bool needsEveryCell = false)
    {
        _course = _made.Begin(seconds);
        _cells = [.. Enumerable.Range(0, cells).Select(static index => new Cell($"{index}"))];
        return new RoundRunner<Cell, int>(_cells, _course, _course.Steps(3, cells))
        {
            NeedsEveryCell = needsEveryCell,
        };
    }

    private static void Fail(Cell cell, string name)
    {
        if (string.Equals(cell.Name, name, StringComparison.Ordinal)) throw new BenchException("it broke");
    }

    private Action<Cell> Take(double seconds) => cell =>
    {
        _ran.Add(cell.Name);
        _made.Take(seconds);
    };

    private Func<Cell, int> Measure(double seconds) => cell =>
    {
        Take(seconds)(cell);
        return 1;
    };

    private sealed class Cell(string name) : BenchCell<int>(name, 64);
}
