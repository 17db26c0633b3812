using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Spate.Cli.Bench.Targets;

/// <summary>Counts of a receiver. One thread at a time writes them, and any thread may read them.</summary>
internal sealed class BenchCounters
{
    private Padded _padded;

    public long Datagrams => Volatile.Read(ref _padded.Datagrams);

    public long Bytes => Volatile.Read(ref _padded.Bytes);

    /// <summary>Receive calls that returned at least one datagram.</summary>
    public long Calls => Volatile.Read(ref _padded.Calls);

    /// <summary>Sum of peer ports and first bytes, so that the compiler cannot leave out reading them.</summary>
    public long Checksum => Volatile.Read(ref _padded.Checksum);

    public void Add(long datagrams, long bytes, long checksum)
    {
        Volatile.Write(ref _padded.Bytes, _padded.Bytes + bytes);
        Volatile.Write(ref _padded.Calls, _padded.Calls + 1);
        Volatile.Write(ref _padded.Checksum, _padded.Checksum + checksum);
        Volatile.Write(ref _padded.Datagrams, _padded.Datagrams + datagrams);
    }

    // The sender's CPU writes nearby memory, so 128 bytes on both sides keep these fields in cache lines of their own:
    // a line has 64 bytes, and the adjacent-line prefetcher of x64 fetches pairs.
    [StructLayout(LayoutKind.Explicit, Size = 288)]
    private struct Padded
    {
        [FieldOffset(128)]
        public long Datagrams;

        [FieldOffset(136)]
        public long Bytes;

        [FieldOffset(144)]
        public long Calls;

        [FieldOffset(152)]
        public long Checksum;
    }
}

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
