using System.Diagnostics;

namespace Spate.Measurement.Bench.Relay;

/// <summary>Runs one relay for one round: opens all three parts, sends for the time given, lets it drain.</summary>
internal sealed class RelayRound(RelayOptions options, CpuPlacement placement, CancellationToken cancellationToken)
{
    // The first datagrams bring what the start left to do: compiling, page faults.
    private static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(60);
    private static readonly TimeSpan LongestDrain = TimeSpan.FromSeconds(3);

    // A relay on a busy machine can be without a CPU for this long; waiting costs time only where something was lost.
    private static readonly TimeSpan QuietMeansDrained = TimeSpan.FromMilliseconds(500);

    /// <summary>What a round needs besides its measured part.</summary>
    public static readonly TimeSpan Overhead = TimeSpan.FromMilliseconds(150);

    /// <summary>Measures <paramref name="target"/>.</summary>
    /// <exception cref="BenchException">A part failed, or nothing came out.</exception>
    public RelayMeasurement Run(RelayTarget target, bool trains, TimeSpan duration)
    {
        using var sink = new RelaySink(placement.SenderCpu);
        using RelayUnderTest relay = target.Open(sink.LocalEndPoint, placement.ReceiverCpu);
        using var generator = new RelayGenerator(
            options, trains, relay.LocalEndPoint, Settling + duration, placement.SenderCpu);
        return Measure(sink, relay, generator, duration);
    }

    private RelayMeasurement Measure(
        RelaySink sink, RelayUnderTest relay, RelayGenerator generator, TimeSpan duration)
    {
        // What earlier rows left behind is not this row's.
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        generator.Start();
        Thread.Sleep(Settling);
        long? before = ReadNanoseconds(sink, relay, generator);
        long start = Stopwatch.GetTimestamp();

        // Over before the generator is, so that every part of it is under load.
        cancellationToken.WaitHandle.WaitOne(duration * 0.95);
        cancellationToken.ThrowIfCancellationRequested();
        long? used = ReadNanoseconds(sink, relay, generator) - before;
        double nanoseconds = Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        generator.Join();
        Drain(sink, generator.Sent);
        sink.Stop();
        if (sink.Received == 0) throw new BenchException("nothing came out of the relay");
        return new RelayMeasurement(
            generator.Sent,
            sink.Received,
            sink.Reordered,
            generator.Seconds,
            used is long some ? Math.Max(0, 100 * some / nanoseconds) : null);
    }

    // Where pool threads relay, theirs is what is left of the process; nobody else does anything meanwhile.
    private static long? ReadNanoseconds(RelaySink sink, RelayUnderTest relay, RelayGenerator generator) =>
        relay.CpuNanoseconds ?? (Environment.CpuUsage.TotalTime.Ticks * TimeSpan.NanosecondsPerTick)
            - sink.CpuNanoseconds - generator.CpuNanoseconds;

    private static void Drain(RelaySink sink, long expected)
    {
        long start = Stopwatch.GetTimestamp();
        long lastProgress = start;
        long seen = sink.Received;
        while (seen < expected && Stopwatch.GetElapsedTime(start) < LongestDrain
            && Stopwatch.GetElapsedTime(lastProgress) < QuietMeansDrained)
        {
            Thread.Sleep(1);
            long now = sink.Received;
            if (now != seen) lastProgress = Stopwatch.GetTimestamp();
            seen = now;
        }
    }
}
