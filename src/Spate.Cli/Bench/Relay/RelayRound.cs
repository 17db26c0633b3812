using System.Diagnostics;
using Spate.Cli.Bench.Servers;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Relay;

/// <summary>Runs one relay for one round: opens sink, relay and generator, sends, and lets the relay drain.</summary>
internal sealed class RelayRound(RelayOptions options, CpuPlacement placement, CancellationToken cancellationToken)
{
    public const string NothingCame = "nothing came out of the relay";

    /// <summary>The time that a round takes besides its measured part.</summary>
    public static readonly TimeSpan Overhead = TimeSpan.FromMilliseconds(150);

    // The first datagrams still cause compilation and page faults, so they are not measured.
    private static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(60);

    private static readonly TimeSpan MaxDrain = TimeSpan.FromSeconds(3);

    // On a busy machine, the relay can be without a CPU for this long. The wait takes time only if datagrams were lost.
    private static readonly TimeSpan MaxQuiet = TimeSpan.FromMilliseconds(500);

    public RelayMeasurement Run(RelayTarget target, bool usesGso, TimeSpan duration)
    {
        using var sink = new RelaySink(placement.SenderCpu);
        using BenchServer relay = target.Open(sink.LocalEndPoint, placement.ReceiverCpu);
        using var generator = new RelayGenerator(
            options, usesGso, relay.LocalEndPoint, Settling + duration, placement.SenderCpu);
        return Measure(sink, relay, generator, duration);
    }

    private RelayMeasurement Measure(
        RelaySink sink, BenchServer relay, RelayGenerator generator, TimeSpan duration)
    {
        // This row must not pay for the garbage of earlier ones.
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        generator.Start();
        Thread.Sleep(Settling);
        long? before = ReadNanoseconds(sink, relay, generator);
        long start = Stopwatch.GetTimestamp();

        // The measured time ends before the generator does, so that all of it is under load.
        cancellationToken.WaitHandle.WaitOne(duration * 0.95);
        cancellationToken.ThrowIfCancellationRequested();
        long? used = ReadNanoseconds(sink, relay, generator) - before;
        double nanoseconds = Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        generator.Join();
        DrainWait.Run(() => sink.Received, generator.Sent, MaxQuiet, MaxDrain);
        sink.Stop();
        if (sink.Received == 0) throw new BenchException(NothingCame);
        return new RelayMeasurement(
            generator.Sent,
            sink.Received,
            sink.Reordered,
            generator.Seconds,
            used is long some ? Math.Max(0, 100 * some / nanoseconds) : null);
    }

    // If pool threads relay, their CPU time is that of the process less generator and sink. Nothing else runs
    // meanwhile.
    private static long? ReadNanoseconds(RelaySink sink, BenchServer relay, RelayGenerator generator) =>
        relay.CpuNanoseconds ?? (Environment.CpuUsage.TotalTime.Ticks * TimeSpan.NanosecondsPerTick)
            - sink.CpuNanoseconds - generator.CpuNanoseconds;
}
