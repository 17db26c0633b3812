using Spate.Cli.Bench.Sessions;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Sessions;

/// <summary>The report of rounds whose times are known.</summary>
public sealed class SessionsBenchTests : IDisposable
{
    private readonly MadeUpCourse _course = new();

    public void Dispose() => _course.Dispose();

    [Fact]
    public void Execute_ThreeRounds_ComparesEachWithNoTableAndWithOneSession()
    {
        // The times of no table, one session, and ten in runs and scattered, in the rounds 1 to 3.
        double[] bare = [10, 20, 10];
        double[] one = [20, 30, 20];
        double[] runs = [40, 90, 50];
        var sessions = new FakeSessions(_course)
        {
            Microseconds = (count, shift) => Now switch
            {
                0 => 5000,
                int round => count switch
                {
                    0 => bare[round - 1],
                    1 => one[round - 1],
                    _ => shift == SessionsCell.ScatteredShift ? 100 : runs[round - 1],
                },
            },
        };

        SessionsReport report = Execute(sessions, roundCount: 3, seconds: 100);

        Assert.Equal(
            ["1 runs", "10 runs", "10 scattered"],
            report.Rows.Select(static row => $"{row.Peers} {row.Pattern}"),
            StringComparer.Ordinal);
        SessionsRow row = report.Rows[1];
        Assert.Equal([40_000, 90_000, 50_000], row.Samples);
        Assert.Equal((50_000, 100), (row.NanosecondsPerDatagram, row.SpreadPercent));

        // Round by round: 30, 70 and 40 us more than without a table; 2, 3 and 2.5 times as long as with one session.
        Assert.Equal((40_000, 2.5), (row.TableNanosecondsPerDatagram, row.TimesOneSession));
        Assert.Equal(1, report.Rows[0].TimesOneSession);
        Assert.Equal((3, false, 2, 1 << 20), (
            report.Rounds, report.Interrupted, report.GsoFallbacks, report.BufferGrantedBytes));
        Assert.Equal(
            ["no table", "1 peers, runs", "10 peers, runs", "10 peers, scattered"],
            report.Limits.Select(static limit => limit.Row),
            StringComparer.Ordinal);
    }

    [Fact]
    public void Execute_Rows_AreInterleavedForthAndBack()
    {
        Execute(new FakeSessions(_course), roundCount: 2, seconds: 100);

        string[] forth = ["no table", "1 peers, runs", "10 peers, runs", "10 peers, scattered"];
        string[] back = [.. forth.Reverse()];
        Assert.Equal(
            [.. forth, .. back, .. forth], _course.Steps.Select(static step => step.RowName), StringComparer.Ordinal);
    }

    [Fact]
    public void Execute_ThreeRepeatsOfAgeing_CountEachPassWithItsShortestTime()
    {
        var sessions = new FakeSessions(_course) { AgingSeconds = 1 };
        sessions.AddRepeat(5, 9);
        sessions.AddRepeat(7, 3);
        sessions.AddRepeat(6, 6);

        SessionsReport report = Execute(sessions, roundCount: 1, seconds: 100);

        Assert.Equal((5, 9), (report.AgingPassMicroseconds, report.AgingPassSeenMicroseconds));
        Assert.Equal((10, 2, 4096), (report.AgingPeers, report.AgingPasses, report.TableBytes));
        Assert.Equal(3, sessions.Agings);
    }

    [Fact]
    public void Execute_TimeForTwoRepeatsOfAgeing_RepeatsItTwice()
    {
        var sessions = new FakeSessions(_course) { AgingSeconds = 40 };

        Execute(sessions, roundCount: 1, seconds: 100);

        Assert.Equal(2, sessions.Agings);
    }

    [Fact]
    public void Execute_TimeOfTheRounds_IsTheBudgetLessThatOfAgeing()
    {
        // Filling two tables takes 2 s, and ageing nine times one of them. A round of four rows takes 8 s.
        var sessions = new FakeSessions(_course) { FillSeconds = 1, Microseconds = static (_, _) => 20_000 };

        SessionsReport report = Execute(sessions, roundCount: 101, seconds: 40);

        Assert.Equal((2, 2 + 8 + (2 * 8)), (report.Rounds, report.Seconds));
    }

    [Fact]
    public void Execute_FillingTakesMoreThanHalfOfTheTime_SaysWhatToDo()
    {
        var sessions = new FakeSessions(_course) { FillSeconds = 30 };

        BenchException fault = Assert.Throws<BenchException>(
            () => Execute(sessions, roundCount: 1, seconds: 50, peerCounts: [10, 20]));

        Assert.Equal(
            "Filling the tables of 1, 10, 20 sessions takes over half of the 50 s; use fewer peers, or more "
            + "time.",
            fault.Message);
    }

    [Fact]
    public void Execute_LostDatagram_EndsTheBenchmark()
    {
        // Each row is needed by the others.
        var sessions = new FakeSessions(_course) { LossyDrain = 7 };

        BenchException fault = Assert.Throws<BenchException>(() => Execute(sessions, roundCount: 1, seconds: 100));

        Assert.Equal(
            "100 of 100 datagrams of 64 bytes were sent and 99 drained, with a receive buffer of 1048576 bytes.",
            fault.Message);
    }

    private int Now => _course.Steps[^1].Round;

    private SessionsReport Execute(
        FakeSessions sessions, int roundCount, double seconds, int[]? peerCounts = null)
    {
        var options = new SessionsOptions
        {
            PeerCounts = peerCounts ?? [10],
            SizesBytes = [64],
            DatagramCount = 100,
            RoundCount = roundCount,
            Budget = TimeSpan.FromSeconds(seconds),
        };
        return new SessionsBench(
            options, cpu: null, sessions.Open, sessions.Fill, sessions.Age, _course.Begin(options.Budget)).Execute();
    }
}
