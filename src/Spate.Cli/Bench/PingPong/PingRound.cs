using System.Diagnostics;
using System.Net.Sockets;
using Spate.Cli.Bench.Baselines;
using Spate.Cli.Bench.Servers;
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
