using System.Diagnostics;
using Spate.Measurement.Bench.Rounds;
using Spate.Serving;

namespace Spate.Measurement.Bench.Sessions;

/// <summary>
/// Times every pass of ageing over a full table: one turn in which nothing expires, and as many passes as it takes
/// until everything has. Repeated, and each pass counts with its least time: the work is the same, an interruption is
/// not.
/// </summary>
internal static class AgingProbe
{
    /// <summary>What it takes, in times of filling the table: each repeat fills one and then ages it.</summary>
    public const int TimesFilling = 3 * RepeatCount;

    private const int RepeatCount = 3;

    private static readonly TimeSpan IdleLimit = TimeSpan.FromMinutes(2);

    /// <summary>Measures, with fewer repeats where the time is short; null when interrupted before the first.</summary>
    public static AgingPasses? Measure(UdpEndPoint[] peers, BenchBudget budget, CancellationToken cancellationToken)
    {
        TimeSpan last = TimeSpan.Zero;
        List<double> least = [];
        double seen = 0;
        long tableBytes = 0;
        for (int repeat = 0; repeat < RepeatCount && (repeat == 0 || last <= budget.Left); repeat++)
        {
            if (cancellationToken.IsCancellationRequested) break;
            TimeSpan before = budget.Elapsed;
            (List<double> passes, tableBytes) = MeasureOnce(peers);
            seen = Math.Max(seen, passes.Max());
            for (int i = 0; i < passes.Count; i++)
            {
                if (i < least.Count)
                {
                    least[i] = Math.Min(least[i], passes[i]);
                }
                else
                {
                    least.Add(passes[i]);
                }
            }
            last = budget.Elapsed - before;
        }
        return least.Count == 0
            ? null
            : new AgingPasses(peers.Length, tableBytes, least.Count, least.Max(), seen);
    }

    private static (List<double> Microseconds, long TableBytes) MeasureOnce(UdpEndPoint[] peers)
    {
        var time = new SteppedTime();
        long ended = 0;
        SessionTable<BenchSession> table = BenchPeers.CreateTable(
            peers, time, IdleLimit, (in UdpEndPoint _, ref BenchSession _, SessionEnd _) => ended++);

        // Room for all passes, so that no growing list is timed: a turn in steps of one entry would be the most.
        List<double> microseconds = new(capacity: (2 * peers.Length) + 16);
        int turnPasses = (peers.Length / new SessionTableOptions().MaxAgingEntriesPerPass) + 1;
        time.Advance(IdleLimit / 4);
        for (int i = 0; i < turnPasses; i++)
        {
            microseconds.Add(Pass(table));
        }
        time.Advance(IdleLimit * 2);
        while (table.Count > 0)
        {
            int before = table.Count;
            microseconds.Add(Pass(table));
            if (table.Count == before)
            {
                // The hand has gone as far as the time asks for.
                time.Advance(IdleLimit / 4);
            }
        }
        return ended == peers.Length
            ? (microseconds, table.ReservedBytes)
            : throw new BenchException($"Of {peers.Length} sessions {ended} expired; the table is wrong.");
    }

    private static double Pass(SessionTable<BenchSession> table)
    {
        long start = Stopwatch.GetTimestamp();
        _ = table.Age();
        return Stopwatch.GetElapsedTime(start).TotalMicroseconds;
    }
}

/// <summary>How long passes of ageing took.</summary>
/// <param name="PeerCount">Sessions in the table.</param>
/// <param name="TableBytes">Bytes that the table reserved.</param>
/// <param name="PassCount">Passes that were timed in each repeat.</param>
/// <param name="LongestMicroseconds">The longest pass, each with the least of its repeats.</param>
/// <param name="SeenMicroseconds">The longest single time, interruptions included.</param>
internal sealed record AgingPasses(
    int PeerCount, long TableBytes, int PassCount, double LongestMicroseconds, double SeenMicroseconds);
