using System.Diagnostics;

namespace Spate.Cli.Bench;

/// <summary>
/// Waits for the datagrams that are still on their way when a sender has stopped. The row counts the allocations of the
/// process meanwhile, so the thread sleeps: a timer of a clock would allocate, and run on the pool.
/// </summary>
internal static class DrainWait
{
    /// <summary>Returns when all have arrived, when none came for a while, or when the time is over.</summary>
    /// <param name="readCount">Reads how many have arrived so far.</param>
    /// <param name="expected">How many were sent.</param>
    /// <param name="maxQuiet">The time without an arrival after which the rest counts as lost.</param>
    /// <param name="maxWait">The time that the wait may take in all.</param>
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
