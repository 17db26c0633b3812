using System.Diagnostics;
using System.Net;
using System.Runtime.InteropServices;

namespace Spate.Cli.Bench.Targets;

/// <summary>One row of the bench: a way to send and a way to receive.</summary>
internal abstract class BenchTarget
{
    public abstract string Name { get; }

    /// <summary>Why the row cannot run on this machine, in one line; null when it can.</summary>
    public virtual string? UnavailableReason => null;

    /// <summary>Whether pool or library threads receive; the CPU time is the process's less the sender's.</summary>
    public virtual bool ReceivesElsewhere => false;

    /// <summary>Opens it on 127.0.0.1, at a port of the system's choice.</summary>
    public abstract BenchReceiver CreateReceiver(BenchSetup setup);

    public abstract BenchSender CreateSender(BenchSetup setup, IPEndPoint peer);
}

/// <summary>The settings of both ends of a round. The requested socket buffer is the same for every row.</summary>
/// <param name="MaxWaitMilliseconds">
/// The longest wait of a blocking receive (SO_RCVTIMEO): how often an idle receiver looks whether it is to stop. A
/// busy one never waits this long.
/// </param>
internal readonly record struct BenchSetup(int SizeBytes, int BufferBytes, int MaxWaitMilliseconds = 50);

/// <summary>The receiving end of a round.</summary>
internal abstract class BenchReceiver : IDisposable
{
    public BenchCounters Counters { get; } = new();

    public abstract IPEndPoint LocalEndPoint { get; }

    public abstract int BufferGrantedBytes { get; }

    /// <summary>Calls that returned datagrams: system calls where the row knows them, else the row's own.</summary>
    public virtual long Calls => Counters.Calls;

    /// <summary>Sum of peer ports and first bytes, so that the compiler cannot leave out reading them.</summary>
    protected long Checksum { get; set; }

    /// <summary>Receives and reads datagrams until <see cref="Stop"/>. Runs on the receiver's own thread.</summary>
    public abstract void Run();

    /// <summary>
    /// Receives on the calling thread until <paramref name="count"/> have come or none is left; returns how many came.
    /// Only the rows of the drain bench can.
    /// </summary>
    public virtual int Drain(int count) => throw new NotSupportedException();

    /// <summary>Makes <see cref="Run"/> return soon. Another thread calls it, and may call it again.</summary>
    public abstract void Stop();

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>A second call must not throw.</summary>
    protected abstract void Close();
}

/// <summary>The sending end of a round.</summary>
internal abstract class BenchSender : IDisposable
{
    /// <summary>Datagrams per burst in rows that send them one at a time. The clock is read between bursts.</summary>
    public const int SinglesPerBurst = 64;

    /// <summary>Writes 8 bytes into each datagram and sends it; returns how many the system accepted.</summary>
    public abstract int Send(int count);

    /// <summary>Sends some datagrams between two looks at the clock; returns how many the system accepted.</summary>
    public virtual int SendBurst() => Send(SinglesPerBurst);

    /// <summary>GSO messages that the route refused; their datagrams were sent plainly.</summary>
    public virtual long GsoFallbacks => 0;

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>A second call must not throw.</summary>
    protected abstract void Close();
}

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
