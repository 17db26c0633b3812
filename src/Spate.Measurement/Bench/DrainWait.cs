namespace Spate.Measurement.Bench;

/// <summary>Waits for the datagrams that are still on their way when a sender has stopped.</summary>
internal static class DrainWait
{
    /// <summary>Returns when all have arrived, when none came for a while, or when the time is over.</summary>
    /// <param name="readCount">Reads how many have arrived so far.</param>
    /// <param name="expected">How many were sent.</param>
    /// <param name="maxQuiet">The time without an arrival after which the rest counts as lost.</param>
    /// <param name="maxWait">The time that the wait may take in all.</param>
    /// <param name="time">The clock; null for the system's.</param>
    public static void Run(
        Func<long> readCount, long expected, TimeSpan maxQuiet, TimeSpan maxWait, TimeProvider? time = null)
    {
        time ??= TimeProvider.System;
        long start = time.GetTimestamp();
        long lastProgress = start;
        long seen = readCount();
        while (seen < expected && time.GetElapsedTime(start) < maxWait
            && time.GetElapsedTime(lastProgress) < maxQuiet)
        {
            Thread.Sleep(1);
            long now = readCount();
            if (now != seen) lastProgress = time.GetTimestamp();
            seen = now;
        }
    }
}
