using System.Diagnostics;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Serving;

namespace Spate.Cli.Bench.Sessions;

/// <summary>
/// Measures every pass of ageing over a full table until everything has expired. Each pass counts with its shortest
/// time: every repeat does the same work, but only some are interrupted.
/// </summary>
internal static class AgingProbe
{
    /// <summary>A multiple of the time to fill a table, which each repeat does too.</summary>
    public const int TimesFilling = 3 * RepeatCount;

    private const int RepeatCount = 3;

    private static readonly TimeSpan IdleTimeout = TimeSpan.FromMinutes(2);

    /// <summary>Repeats as often as there is time for. Null if interrupted before the first.</summary>
    public static AgingPasses? Measure(
        UdpEndPoint[] peers, Func<UdpEndPoint[], AgingTimes> runOnce, BenchCourse course)
    {
        BenchBudget budget = course.Budget;
        TimeSpan last = TimeSpan.Zero;
        List<double> shortest = [];
        double seen = 0;
        long tableBytes = 0;
        for (int repeat = 0; repeat < RepeatCount && (repeat == 0 || last <= budget.Left); repeat++)
        {
            if (course.CancellationToken.IsCancellationRequested) break;
            TimeSpan before = budget.Elapsed;
            (IReadOnlyList<double> passes, tableBytes) = runOnce(peers);
            seen = Math.Max(seen, passes.Max());
            for (int i = 0; i < passes.Count; i++)
            {
                if (i < shortest.Count)
                {
                    shortest[i] = Math.Min(shortest[i], passes[i]);
                }
                else
                {
                    shortest.Add(passes[i]);
                }
            }
            last = budget.Elapsed - before;
        }
        return shortest.Count == 0
            ? null
            : new AgingPasses(peers.Length, tableBytes, shortest.Count, shortest.Max(), seen);
    }

    /// <summary>Fills a table and measures every pass over it until it is empty.</summary>
    public static AgingTimes RunOnce(UdpEndPoint[] peers)
    {
        var time = new SteppedTime();
        long ended = 0;
        SessionTable<BenchSession> table = BenchPeers.CreateTable(
            peers, time, IdleTimeout, (in UdpEndPoint _, ref BenchSession _, SessionEndReason _) => ended++);

        // Room for all passes, so that the list never grows while a pass is measured: a pass covers at least one entry.
        List<double> microseconds = new(capacity: (2 * peers.Length) + 16);
        int turnPasses = (peers.Length / new SessionTableOptions().MaxAgingEntriesPerPass) + 1;
        time.Advance(IdleTimeout / 4);
        for (int i = 0; i < turnPasses; i++)
        {
            microseconds.Add(Pass(table));
        }
        time.Advance(IdleTimeout * 2);
        while (table.Count > 0)
        {
            int before = table.Count;
            microseconds.Add(Pass(table));
            if (table.Count == before)
            {
                // The passes have caught up with the clock, so the clock moves on.
                time.Advance(IdleTimeout / 4);
            }
        }
        return ended == peers.Length
            ? new AgingTimes(microseconds, table.ReservedBytes)
            : throw new BenchException($"{ended} of {peers.Length} sessions expired: the table is faulty.");
    }

    private static double Pass(SessionTable<BenchSession> table)
    {
        long start = Stopwatch.GetTimestamp();
        _ = table.RemoveExpired();
        return Stopwatch.GetElapsedTime(start).TotalMicroseconds;
    }
}

/// <summary>The times of the passes of one repeat, in microseconds, and the bytes that the table reserved.</summary>
internal sealed record AgingTimes(IReadOnlyList<double> Microseconds, long TableBytes);

/// <summary>The times of the passes of ageing.</summary>
/// <param name="LongestMicroseconds">The longest pass, where each counts with its shortest repeat.</param>
/// <param name="SeenMicroseconds">The longest pass of all repeats, interruptions included.</param>
internal sealed record AgingPasses(
    int PeerCount, long TableBytes, int PassCount, double LongestMicroseconds, double SeenMicroseconds);

/// <summary>A clock that moves only when told to, so that minutes of ageing pass at once.</summary>
internal sealed class SteppedTime : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _ticks;

    public void Advance(TimeSpan time) => _ticks += time.Ticks;
}
