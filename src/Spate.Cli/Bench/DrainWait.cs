using System.Diagnostics;

namespace Spate.Cli.Bench;

/// <summary>
/// Waits for the datagrams still on their way when a sender has stopped. The thread sleeps, since a timer would run on
/// the pool, and allocate, which the row counts.
/// </summary>
internal static class DrainWait
{
    /// <summary>Returns when all have arrived, when none came for a while, or when the time is over.</summary>
    public static void Run(Func<long> readCount, long expected, TimeSpan maxQuiet, TimeSpan maxWait)
    {
        long start = Stopwatch.GetTimestamp();
        long lastProgress = start;
        long seen = readCount();
        while (seen < expected && Stopwatch.GetElapsedTime(start) < maxWait
            && Stopwatch.GetElapsedTime(lastProgress) < maxQuiet)
        {
            Thread.Sleep(1);
            long now = readCount();
            if (now != seen) lastProgress = Stopwatch.GetTimestamp();
            seen = now;
        }
    }
}
