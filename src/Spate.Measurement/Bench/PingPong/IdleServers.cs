using System.Diagnostics;
using System.Net.Sockets;
using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Serving;
using Spate.Serving;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>Watches servers of every design to which nobody sends.</summary>
internal static class IdleServers
{
    private const int ThreadCount = 2;

    // Compiling what the start called for goes on for a while after it, in the background.
    private static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(150);

    /// <summary>How long each can be watched within a time for all of them; zero where that is too short.</summary>
    public static TimeSpan DurationWithin(TimeSpan all, TimeSpan wanted)
    {
        TimeSpan each = (all / Enum.GetValues<UdpServerDesign>().Length) - Settling;
        return each < TimeSpan.Zero ? TimeSpan.Zero : each < wanted ? each : wanted;
    }

    /// <summary>What watching all of them for so long takes.</summary>
    public static TimeSpan TimeOf(TimeSpan duration) => duration == TimeSpan.Zero
        ? TimeSpan.Zero
        : (duration + Settling) * Enum.GetValues<UdpServerDesign>().Length;

    /// <summary>Watches one server of every design; those that an interruption leaves time for.</summary>
    public static IReadOnlyList<IdleRow> Measure(
        TimeSpan duration, SkippedRows skipped, CancellationToken cancellationToken)
    {
        List<IdleRow> results = [];
        if (duration == TimeSpan.Zero) return results;
        foreach (UdpServerDesign design in Enum.GetValues<UdpServerDesign>())
        {
            if (cancellationToken.IsCancellationRequested) break;
            try
            {
                results.Add(Measure(design, duration, cancellationToken));
            }
            catch (OperationCanceledException)
            {
                break;
            }
            catch (Exception e) when (e is SocketException or NotSupportedException)
            {
                skipped.Add($"idle {design}", BenchText.OneLine(e.Message));
            }
        }
        return results;
    }

    private static IdleRow Measure(
        UdpServerDesign design, TimeSpan duration, CancellationToken cancellationToken)
    {
        var options = new UdpServerOptions
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            Design = design,
            ThreadCount = ThreadCount,
        };
        using UdpServer server = UdpServer.Start(options, static _ => new Silent());
        cancellationToken.WaitHandle.WaitOne(Settling);
        long before = ReadNanoseconds(server);
        long start = Stopwatch.GetTimestamp();
        cancellationToken.WaitHandle.WaitOne(duration);
        long used = ReadNanoseconds(server) - before;
        cancellationToken.ThrowIfCancellationRequested();
        return new IdleRow
        {
            Design = NameText.Of(design),
            ThreadCount = ThreadCount,
            CpuPercent = 100 * used / Stopwatch.GetElapsedTime(start).TotalNanoseconds,
        };
    }

    // Where threads cannot be asked, the process is: the rest of it sleeps meanwhile, but for the compiler.
    private static long ReadNanoseconds(UdpServer server) =>
        ServerClock.ReadNanoseconds(server) ?? (Environment.CpuUsage.TotalTime.Ticks * TimeSpan.NanosecondsPerTick);

    private sealed class Silent : UdpHandler
    {
        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
            // Nobody sends; what strays in is not answered.
        }
    }
}
