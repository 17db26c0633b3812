using System.Net.Sockets;
using Spate.Cli.Bench.Batched;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sessions;

/// <summary>Fills a socket and drains it with lookups, in interleaved rounds. Tests replace the functions.</summary>
internal sealed class SessionsEngine(
    SessionsOptions options,
    int? cpu,
    Func<SpateRow, int, int, ISessionsPair> open,
    Func<int, PeerSet> fill,
    Func<UdpEndPoint[], AgingTimes> age,
    BenchCourse course)
{
    // A fixed seed, so that runs that are compared draw the same peers.
    private const int Seed = 20_260_901;

    // The warm-up takes at most a quarter of the time.
    private const int WarmUpShare = 4;

    private readonly Random _random = new(Seed);

    public SessionsReport Execute()
    {
        SpateRow row = new[] { SpateRow.MmsgOffloads, SpateRow.Mmsg, SpateRow.Portable }
            .First(static row => row.UnavailableReason is null);
        int[] peerCounts = [1, .. options.PeerCounts.Where(static count => count != 1).Distinct()];
        PeerSet[] sets = MakeSets(peerCounts, out TimeSpan agingTime);
        List<ISessionsPair> sockets = [];
        try
        {
            foreach (int sizeBytes in options.SizesBytes)
            {
                sockets.Add(open(row, sizeBytes, options.DatagramCount));
            }
            SessionsCell[][] groups = [.. sockets.Select(socket => CellsOf(socket, sets))];
            SessionsCell[] all = [.. groups.SelectMany(static cells => cells)];
            int roundCount = RunRounds(all, options.Budget - agingTime);
            PeerSet largest = sets.MaxBy(static set => set.Count)!;
            AgingPasses? aging = AgingProbe.Measure(largest.Peers, age, course);
            var report = new SessionsReport
            {
                Rounds = roundCount,
                Seconds = course.Budget.Elapsed.TotalSeconds,
                Rows = [.. groups.SelectMany(static cells => cells.Skip(1).Select(
                    cell => cell.ToRow(bare: cells[0], one: cells[1])))],
                AgingPeers = aging?.PeerCount ?? 0,
                AgingPassMicroseconds = aging?.LongestMicroseconds ?? 0,
                AgingPassSeenMicroseconds = aging?.SeenMicroseconds ?? 0,
                AgingPasses = aging?.PassCount ?? 0,
                TableBytes = aging?.TableBytes ?? 0,
                SocketRow = row.Name,
                Threads = [ThreadReport.At("drain", cpu)],
                Backend = NameText.Of(row.Backend),
                Offloads = row.UsesOffloads ? ["gso", "gro"] : [],
                Flows = 1,
                GsoFallbacks = sockets.Sum(static socket => socket.GsoFallbacks),
                BufferGrantedBytes = sockets.Max(static socket => socket.BufferGrantedBytes),
            };
            return course.Finish(report, all);
        }
        catch (SocketException e)
        {
            throw new BenchException($"The sockets of {row.Name} failed: {PrintableText.OneLine(e.Message)}", e);
        }
        finally
        {
            sockets.ForEach(static socket => socket.Dispose());
        }
    }

    /// <summary>The cells without a table, with one peer, and with each number of peers in both patterns.</summary>
    private SessionsCell[] CellsOf(ISessionsPair socket, PeerSet[] sets) =>
    [
        new(socket, peers: null, SessionsCell.RunsShift, course.Time),
        .. sets.SelectMany(set => set.Count == 1
            ? new[] { SessionsCell.RunsShift }
            : [SessionsCell.RunsShift, SessionsCell.ScatteredShift],
            (set, runShift) => new SessionsCell(socket, set, runShift, course.Time)),
    ];

    /// <summary>Fills the tables, which takes part of the budget. Their ageing takes another part.</summary>
    private PeerSet[] MakeSets(int[] peerCounts, out TimeSpan agingTime)
    {
        List<PeerSet> sets = [];
        TimeSpan longest = TimeSpan.Zero;
        foreach (int count in peerCounts)
        {
            course.CancellationToken.ThrowIfCancellationRequested();
            if (course.Budget.Elapsed > options.Budget / 2)
            {
                throw new BenchException(
                    $"Filling tables of {string.Join(", ", peerCounts)} sessions takes more than half of the "
                    + $"{options.Budget.TotalSeconds:0.#} s; name fewer peers, or a longer time.");
            }
            TimeSpan before = course.Budget.Elapsed;
            sets.Add(fill(count));
            TimeSpan took = course.Budget.Elapsed - before;
            longest = took > longest ? took : longest;
        }
        agingTime = AgingProbe.TimesFilling * longest;
        return [.. sets];
    }

    private int RunRounds(SessionsCell[] cells, TimeSpan until)
    {
        // The figures of every row are differences and ratios to two other rows, so no row can be left out.
        var runner = new RoundRunner<SessionsCell, double>(
            cells, course, course.Steps(options.RoundCount, cells.Length))
        { NeedsEveryCell = true };
        TimeSpan warmUp = (until - course.Budget.Elapsed) / (WarmUpShare * cells.Length);
        _ = runner.WarmUp(until, cell => cell.WarmUp(warmUp, _random));
        return runner.Run(options.RoundCount, until, cell => cell.Measure(_random));
    }
}
