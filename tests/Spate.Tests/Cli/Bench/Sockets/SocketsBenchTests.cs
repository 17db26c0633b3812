using System.Net.Sockets;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Sockets;

/// <summary>The report of rounds whose times are known.</summary>
public sealed class SocketsBenchTests : IDisposable
{
    private const int WarmUps = 3;

    private readonly MadeUpCourse _course = new();
    private readonly List<(int Count, double Until)> _opened = [];

    public void Dispose() => _course.Dispose();

    [Fact]
    public void Execute_ThreeRounds_HasTheirMediansAndSpread()
    {
        var set = new FakeSocketSet(_course.Time, 2);
        double[] rounds = [3, 1, 2];
        set.Slow.Microseconds = drain => drain < WarmUps ? 50 : rounds[drain - WarmUps];

        SocketsReport report = Execute(new SocketsOptions
        {
            SocketCounts = [2],
            QueuedCounts = [1000],
            RoundCount = 3,
        }, _ => set);

        Assert.Equal(["slow", "fast"], report.Rows.Select(static row => row.Mode), StringComparer.Ordinal);
        SocketsRow row = report.Rows[0];
        Assert.Equal((2, 1000, 64), (row.Sockets, row.Queued, row.SizeBytes));
        Assert.Equal([3000, 1000, 2000], row.Samples);
        Assert.Equal((2000, 100), (row.ReceiveNanosecondsPerDatagram, row.SpreadPercent));
        Assert.Equal((3, 2, false), (report.Rounds, report.Flows, report.Interrupted));
        Assert.Equal(
            ["slow of 2 sockets, 1000 queued", "fast of 2 sockets, 1000 queued"],
            report.Limits.Select(static limit => limit.Row),
            StringComparer.Ordinal);

        // Three passes of warm-up, each with a pause of 0.2 s after it, and 2000 datagrams in each round.
        Assert.Equal(0.6 + (2e-3 * ((WarmUps * 51) + 6 + 3)), report.Seconds, tolerance: 1e-9);
        Assert.True(set.IsClosed);
    }

    [Fact]
    public void Execute_ShortQueues_AreFilledUntilTwoThousandDatagramsCame()
    {
        var set = new FakeSocketSet(_course.Time, 3);

        Execute(new SocketsOptions { SocketCounts = [3], QueuedCounts = [1], RoundCount = 1 }, _ => set);

        // 667 times 3 datagrams are the first 2000 of them, for both modes in three warm-ups and a round.
        Assert.Equal(667 * 2 * (WarmUps + 1), set.Fills);
    }

    [Fact]
    public void Execute_TwoModes_AreInterleavedForthAndBack()
    {
        Execute(new SocketsOptions { SocketCounts = [2], QueuedCounts = [1000], RoundCount = 2 });

        Assert.Equal(
            "slow fast slow fast slow fast fast slow slow fast",
            string.Join(' ', _course.Steps.Select(static step => step.RowName.Split(' ')[0])));
        Assert.Equal([0, 0, 0, 0, 0, 0, 1, 1, 2, 2], _course.Steps.Select(static step => step.Round));
    }

    [Fact]
    public void Execute_TwoNumbers_ShareTheTimeByTheirLogarithms()
    {
        SocketsReport report = Execute(new SocketsOptions
        {
            SocketCounts = [1, 1000],
            QueuedCounts = [1],
            RoundCount = 1_000_000,
            Budget = TimeSpan.FromSeconds(9),
        }, Slow);

        // Shares of 3 and 6. A pass takes a second, and a pause 0.2 s. The first number has time for one warm-up and
        // one round, the second for three of each.
        Assert.Equal([(1, 3), (1000, 9)], _opened);
        Assert.Equal(
            [(1, 1), (1, 1), (1000, 3), (1000, 3)],
            report.Rows.Select(static row => (row.Sockets, row.Samples.Length)));
        Assert.Equal((3, 8.8), (report.Rounds, report.Seconds));
        Assert.Empty(report.Skipped);
    }

    [Fact]
    public void Execute_SocketsThatTakeTimeToOpen_HaveAsMuchTimeToClose()
    {
        SocketsReport report = Execute(
            new SocketsOptions { SocketCounts = [2], QueuedCounts = [1], Budget = TimeSpan.FromSeconds(10) },
            count =>
            {
                _course.Take(2);
                return Slow(count);
            });

        // Of the 6 s between, the warm-up takes 3.6 s, and a round a second.
        Assert.Equal((2, 7.6), (report.Rounds, report.Seconds));
    }

    [Fact]
    public void Execute_NumberThatCannotOpen_IsLeftOutWithItsReason()
    {
        SocketsReport report = Execute(
            new SocketsOptions { SocketCounts = [1, 10, 100], QueuedCounts = [1], RoundCount = 1 },
            count => count switch
            {
                10 => throw new SocketException((int)SocketError.AccessDenied),
                100 => throw new BenchException("too slow"),
                _ => new FakeSocketSet(_course.Time, count),
            });

        Assert.All(report.Rows, static row => Assert.Equal(1, row.Sockets));
        Assert.Equal(
            ["10 sockets", "100 sockets"], report.Skipped.Select(static row => row.Name), StringComparer.Ordinal);
        Assert.Equal("too slow", report.Skipped[1].Reason);
    }

    [Fact]
    public void Execute_DatagramLost_LeavesTheRowOutAndTheNextFindsEmptySockets()
    {
        var set = new FakeSocketSet(_course.Time, 2);
        set.Slow.LossyDrain = WarmUps;

        SocketsReport report = Execute(
            new SocketsOptions { SocketCounts = [2], QueuedCounts = [1000], RoundCount = 2 }, _ => set);

        Assert.Equal("fast", Assert.Single(report.Rows).Mode);
        Assert.Equal(
            new BenchSkippedRow(
                "slow of 2 sockets, 1000 queued", "2000 of 2000 datagrams were sent and 1999 arrived"),
            Assert.Single(report.Skipped));
        Assert.Equal(1, set.Discards);
    }

    private FakeSocketSet Slow(int count)
    {
        // The 2000 datagrams of a round take half a second.
        var set = new FakeSocketSet(_course.Time, count);
        set.Slow.Microseconds = set.Fast.Microseconds = static _ => 250;
        return set;
    }

    private SocketsReport Execute(SocketsOptions options, Func<int, ISocketSet>? open = null)
    {
        BenchCourse course = _course.Begin(options.Budget);
        return new SocketsBench(options, cpu: null, Open, course).Execute();

        ISocketSet Open(int count, TimeSpan until)
        {
            _opened.Add((count, Math.Round(until.TotalSeconds, 6)));
            return open?.Invoke(count) ?? new FakeSocketSet(_course.Time, count);
        }
    }
}
