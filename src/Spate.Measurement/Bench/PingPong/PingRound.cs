using System.Diagnostics;
using System.Net.Sockets;
using Spate.Measurement.Bench.Baselines;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>Runs one row for one round: opens both ends, asks, sees to it that nothing hangs, closes.</summary>
internal sealed class PingRound(CpuPlacement placement, int sizeBytes, CancellationToken cancellationToken)
{
    // Twice this long without progress is a lost ping: hundreds of times the slowest round trip of a busy machine.
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(250);

    private const int MaxLostInARow = 5;

    /// <summary>Measures <paramref name="target"/>.</summary>
    /// <param name="target">The row.</param>
    /// <param name="warmUpCount">Pings before the first that is counted.</param>
    /// <param name="count">Pings that are counted.</param>
    /// <param name="most">After this time the round ends with the pings that there are.</param>
    /// <exception cref="BenchException">An end failed, or answers stopped coming.</exception>
    public PingRoundMeasurement Run(PingTarget target, int warmUpCount, int count, TimeSpan most)
    {
        using PongServer server = target.OpenServer(target.RunsOnPool ? null : placement.ReceiverCpu);
        using PingClient client = target.OpenClient(sizeBytes, server.LocalEndPoint);
        return Measure(target, server, client, new PingLog(warmUpCount, count), most);
    }

    private PingRoundMeasurement Measure(
        PingTarget target, PongServer server, PingClient client, PingLog log, TimeSpan most)
    {
        // What earlier rows left behind is not this row's.
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        int? cpu = target.RunsOnPool ? null : placement.SenderCpu;
        var thread = new BenchThread("bench ping", cpu, () => client.Run(log));
        long? serverBefore = server.CpuNanoseconds;
        TimeSpan cpuBefore = Environment.CpuUsage.TotalTime;
        long start = Stopwatch.GetTimestamp();
        thread.Start();
        bool ended = Watch(thread, client, log, most);
        double elapsedNanoseconds = Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        double cpuNanoseconds = (Environment.CpuUsage.TotalTime - cpuBefore).Ticks * TimeSpan.NanosecondsPerTick;
        double? serverNanoseconds = server.CpuNanoseconds - serverBefore;

        cancellationToken.ThrowIfCancellationRequested();
        if (!ended || thread.Failure is not null || log.LostInARow >= MaxLostInARow || log.Count == 0)
        {
            string what = thread.Failure is Exception failure
                ? BenchText.OneLine(failure.Message)
                : $"after {log.Count} answers {log.LostInARow} pings in a row had none";
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

    // The thread's clock and the wall's differ by what starting it takes, some 100 µs of a round.
    private bool Watch(BenchThread thread, PingClient client, PingLog log, TimeSpan most)
    {
        long start = Stopwatch.GetTimestamp();
        long seen = 0;
        int stops = 0;
        using Socket waker = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
        TimeSpan wait = Shorter(most, Patience);
        while (!thread.Join(wait))
        {
            TimeSpan left = most - Stopwatch.GetElapsedTime(start);
            bool isOver = left <= TimeSpan.Zero && log.HasCounted;
            if (log.LostInARow >= MaxLostInARow || cancellationToken.IsCancellationRequested || isOver)
            {
                log.Stop();
                if (++stops > MaxLostInARow) return false;
            }
            if (wait == Patience)
            {
                long sequence = log.Sequence;
                if (sequence == seen) waker.SendTo([], client.LocalEndPoint);
                seen = sequence;
            }
            wait = left > TimeSpan.Zero ? Shorter(left, Patience) : Patience;
        }
        return true;
    }

    private static TimeSpan Shorter(TimeSpan one, TimeSpan other) => one < other ? one : other;
}
