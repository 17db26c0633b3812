using Spate.Measurement.Bench;

namespace Spate.Tests.Bench;

public sealed class BenchPaceTests
{
    private readonly FakeTime _time = new();
    private readonly List<string> _ran = [];
    private readonly List<int> _givenUp = [];

    [Fact]
    public void RunRounds_RoundThatWouldNotFit_IsNotBegun()
    {
        BenchPace pace = Pace(seconds: 10);

        int rounds = pace.RunRounds(2, 100, Seconds(10), Cell(seconds: 1.5), _givenUp.Add);

        Assert.Equal(3, rounds);
        Assert.Equal(Seconds(9), pace.Elapsed);
        Assert.Empty(_givenUp);
    }

    [Fact]
    public void RunRounds_FirstRoundTooLong_GivesUpTheCellsThatDoNotFit()
    {
        BenchPace pace = Pace(seconds: 5);

        int rounds = pace.RunRounds(4, 100, Seconds(5), Cell(seconds: 2), _givenUp.Add);

        Assert.Equal(1, rounds);
        Assert.Equal([0], _givenUp);
        Assert.Equal(Seconds(6), pace.Elapsed);
    }

    [Fact]
    public void RunRounds_TimeIsOverAlready_RunsOneCell()
    {
        BenchPace pace = Pace(seconds: 1);
        _time.Advance(Seconds(2));

        Assert.Equal(1, pace.RunRounds(3, 100, Seconds(1), Cell(seconds: 1), _givenUp.Add));

        Assert.Equal([1, 0], _givenUp);
    }

    [Fact]
    public void WarmUp_LongCells_TakesHalfOfTheTimeAtMost()
    {
        BenchPace pace = Pace(seconds: 10);

        pace.WarmUp(8, Seconds(10), Cell(seconds: 2), _givenUp.Add);

        Assert.Equal(["0.0", "1.0", "2.0"], _ran);
        Assert.Equal([3, 4, 5, 6, 7], _givenUp);
    }

    [Fact]
    public void RunRounds_InterruptedInTheThirdRound_TwoCount()
    {
        using var interrupt = new CancellationTokenSource();
        BenchPace pace = Pace(seconds: 100, interrupt);
        List<int> rounds = [];

        int complete = pace.RunRounds(2, 100, Seconds(100), (index, round) =>
        {
            if (index == 0) rounds.Add(round);
            if (round == 3) interrupt.Cancel();
        });
        BenchPace.Keep(rounds, complete);

        Assert.Equal(2, complete);
        Assert.Equal([1, 2], rounds);
    }

    [Fact]
    public void RunRounds_InterruptedInTheFirstRound_Throws()
    {
        using var interrupt = new CancellationTokenSource();
        BenchPace pace = Pace(seconds: 100, interrupt);

        Assert.Throws<OperationCanceledException>(
            () => pace.RunRounds(2, 100, Seconds(100), (_, _) => interrupt.Cancel()));
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
        (int roundCount, TimeSpan length) = BenchPace.Fit(
            Seconds(left), 2, Seconds(0.1), 5, Seconds(0.05), Seconds(3));

        Assert.Equal(rounds, roundCount);
        Assert.Equal(seconds, length.TotalSeconds, tolerance: 0.02);
    }

    [Fact]
    public void NothingRan_OneReasonOfManyRows_IsSaidOnce() => Assert.Equal(
        "No row could run: it broke",
        BenchPace.NothingRan([new("a", "it broke"), new("b", "it broke"), new("c", "it broke")]).Message);

    [Fact]
    public void Join_ReasonsThatDifferInNumbers_AreSaidOnce() => Assert.Equal(
        [
            new BenchSkippedRow("a, b", "8 more files are needed (numbers of the first)"),
            new BenchSkippedRow("c", "it broke"),
        ],
        BenchSkippedRow.Join(
            [new("a", "8 more files are needed"), new("c", "it broke"), new("b", "16 more files are needed")]));

    [Fact]
    public void Join_OneYear_IsNoArgumentOutOfRange()
    {
        var thread = new BenchThread("bench short", null, static () => { });
        thread.Start();

        Assert.True(thread.Join(TimeSpan.FromDays(365)));
    }

    private static TimeSpan Seconds(double seconds) => TimeSpan.FromSeconds(seconds);

    private BenchPace Pace(double seconds, CancellationTokenSource? interrupt = null) =>
        new(Seconds(seconds), interrupt?.Token ?? CancellationToken.None, _time);

    private Action<int, int> Cell(double seconds) => (index, round) =>
    {
        _ran.Add($"{index}.{round}");
        _time.Advance(Seconds(seconds));
    };
}
