using System.Diagnostics;
using System.Net.Sockets;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.PingPong;

/// <summary>Runs one row for one round, and ends waits whose answer does not come.</summary>
internal sealed class PingRound(CpuPlacement placement, int sizeBytes, CancellationToken cancellationToken)
{
    private const int MaxLostInARow = 5;

    /// <summary>A ping is lost after one to two times this, hundreds of times the slowest busy round trip.</summary>
    public TimeSpan MaxQuiet { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>After <paramref name="maxTime"/> the round ends with the pings that are done.</summary>
    public PingRoundMeasurement Run(PingTarget target, int warmUpCount, int count, TimeSpan maxTime)
    {
        using BenchServer server = target.OpenServer(target.RunsOnPool ? null : placement.ReceiverCpu);
        using PingClient client = target.OpenClient(sizeBytes, server.LocalEndPoint);
        return Measure(target, server, client, new PingLog(warmUpCount, count), maxTime);
    }

    private PingRoundMeasurement Measure(
        PingTarget target, BenchServer server, PingClient client, PingLog log, TimeSpan maxTime)
    {
        // This row must not pay for the garbage of earlier ones.
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        int? cpu = target.RunsOnPool ? null : placement.SenderCpu;
        var thread = new BenchThread("bench ping", cpu, () => client.Run(log));
        long? serverBefore = server.CpuNanoseconds;
        TimeSpan cpuBefore = Environment.CpuUsage.TotalTime;
        long start = Stopwatch.GetTimestamp();
        thread.Start();
        bool ended = Watch(thread, client, log, maxTime);
        double elapsedNanoseconds = Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        double cpuNanoseconds = (Environment.CpuUsage.TotalTime - cpuBefore).Ticks * TimeSpan.NanosecondsPerTick;
        double? serverNanoseconds = server.CpuNanoseconds - serverBefore;

        cancellationToken.ThrowIfCancellationRequested();
        if (!ended || thread.Failure is not null || log.LostInARow >= MaxLostInARow || log.Count == 0)
        {
            string what = thread.Failure is Exception failure
                ? PrintableText.OneLine(failure.Message)
                : $"{log.LostInARow} pings in a row got no answer, after {log.Count} answers";
            throw new BenchException(what);
        }
        log.Sort();
        return new PingRoundMeasurement(
            log.PercentileMicroseconds(50),
            log.PercentileMicroseconds(99),
            log.PercentileMicroseconds(99.9),
            100 * cpuNanoseconds / elapsedNanoseconds,
            100 * serverNanoseconds / elapsedNanoseconds,
            log.Count,
            log.Lost);
    }

    // Ends the round when its time is over, and ends the wait for a lost answer with an empty datagram.
    private bool Watch(BenchThread thread, PingClient client, PingLog log, TimeSpan maxTime)
    {
        long start = Stopwatch.GetTimestamp();
        long seen = 0;
        int stops = 0;
        using Socket waker = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
        TimeSpan wait = Shorter(maxTime, MaxQuiet);
        while (!thread.Join(wait))
        {
            TimeSpan left = maxTime - Stopwatch.GetElapsedTime(start);
            bool isOver = left <= TimeSpan.Zero && log.HasCounted;
            if (log.LostInARow >= MaxLostInARow || cancellationToken.IsCancellationRequested || isOver)
            {
                log.Stop();
                if (++stops > MaxLostInARow) return false;
            }
            if (wait == MaxQuiet)
            {
                long sequence = log.Sequence;
                if (sequence == seen) waker.SendTo([], client.LocalEndPoint);
                seen = sequence;
            }
            wait = left > TimeSpan.Zero ? Shorter(left, MaxQuiet) : MaxQuiet;
        }
        return true;
    }

    private static TimeSpan Shorter(TimeSpan one, TimeSpan other) => one < other ? one : other;
}

/// <summary>
/// All round-trip times of one round, in memory allocated before the round. The client's thread writes them. Other
/// threads may use <see cref="Sequence"/>, <see cref="HasCounted"/>, <see cref="LostInARow"/> and <see cref="Stop"/>.
/// </summary>
internal sealed class PingLog
{
    private readonly long[] _ticks;
    private readonly int _warmUpCount;
    private long _sequence;
    private int _answered;
    private int _lostInARow;
    private volatile bool _stopped;

    public PingLog(int warmUpCount, int count)
    {
        _warmUpCount = warmUpCount;
        _ticks = new long[count];

        // Written now, since the first write to a page causes a page fault, and none should fall into a round trip.
        Array.Fill(_ticks, -1);
    }

    /// <summary>The number of the current ping, from 1. A watching thread sees by it that the round goes on.</summary>
    public long Sequence => Volatile.Read(ref _sequence);

    /// <summary>Whether a ping after the warm-up is done, so that the round could end with a result.</summary>
    public bool HasCounted => Sequence > _warmUpCount + 1;

    /// <summary>Pings without an answer since the last answer.</summary>
    public int LostInARow => Volatile.Read(ref _lostInARow);

    /// <summary>Round trips after the warm-up.</summary>
    public int Count => Math.Max(0, _answered - _warmUpCount);

    /// <summary>Pings without an answer, including those of the warm-up.</summary>
    public long Lost { get; private set; }

    public void Stop() => _stopped = true;

    /// <summary>Returns false when the round is over.</summary>
    public bool TryNext(out ulong sequence)
    {
        sequence = (ulong)(_sequence + 1);
        if (_stopped || Lost + _answered >= _warmUpCount + _ticks.Length) return false;
        Volatile.Write(ref _sequence, _sequence + 1);
        return true;
    }

    /// <summary>The ticks are those of <see cref="Stopwatch"/>.</summary>
    public void Add(long ticks)
    {
        int index = _answered++ - _warmUpCount;
        if (index >= 0) _ticks[index] = ticks;
        if (_lostInARow != 0) Volatile.Write(ref _lostInARow, 0);
    }

    public void AddLost()
    {
        Lost++;
        Volatile.Write(ref _lostInARow, _lostInARow + 1);
    }

    /// <summary>Sorts the times for <see cref="PercentileMicroseconds"/>. Call it after the last ping.</summary>
    public void Sort() => Array.Sort(_ticks, 0, Count);

    /// <summary>What this share of the round trips, above 0 and at most 100, did not exceed (nearest rank).</summary>
    public double PercentileMicroseconds(double percent)
    {
        int rank = (int)Math.Ceiling(percent / 100 * Count);
        return Stopwatch.GetElapsedTime(0, _ticks[Math.Clamp(rank, 1, Count) - 1]).TotalMicroseconds;
    }
}
