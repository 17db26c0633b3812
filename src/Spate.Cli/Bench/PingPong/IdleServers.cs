using System.Net.Sockets;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Bench.PingPong;

/// <summary>Measures the CPU time of servers of every design while nothing is sent to them.</summary>
internal static class IdleServers
{
    private const int ThreadCount = 2;

    // After the start, the runtime goes on compiling in the background for a while.
    private static readonly TimeSpan Settling = TimeSpan.FromMilliseconds(150);

    /// <summary>How long each server can be watched if all share a time; zero if it is too short.</summary>
    public static TimeSpan DurationWithin(TimeSpan all, TimeSpan wanted)
    {
        TimeSpan each = (all / ServerDesigns.All.Count) - Settling;
        return each < TimeSpan.Zero ? TimeSpan.Zero : each < wanted ? each : wanted;
    }

    /// <summary>The time to watch one server of every design for a duration, with the settling before.</summary>
    public static TimeSpan TimeOf(TimeSpan duration) => duration == TimeSpan.Zero
        ? TimeSpan.Zero
        : (duration + Settling) * ServerDesigns.All.Count;

    /// <summary>Watches one server of every design in turn. After an interruption the rest is left out.</summary>
    public static IReadOnlyList<IdleRow> Measure(TimeSpan duration, BenchCourse course)
    {
        List<IdleRow> results = [];
        if (duration == TimeSpan.Zero) return results;
        foreach (UdpServerDesign design in ServerDesigns.All)
        {
            if (course.CancellationToken.IsCancellationRequested) break;
            try
            {
                results.Add(Measure(design, duration, course));
            }
            catch (OperationCanceledException)
            {
                break;
            }
            catch (Exception e) when (e is SocketException or NotSupportedException)
            {
                course.Skipped.Add($"idle {design}", PrintableText.OneLine(e.Message));
            }
        }
        return results;
    }

    private static IdleRow Measure(UdpServerDesign design, TimeSpan duration, BenchCourse course)
    {
        var options = new UdpServerOptions
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            Design = design,
            ThreadCount = ThreadCount,
        };
        using UdpServer server = UdpServer.Start(options, static _ => new Silent());
        course.Pause(Settling);
        long before = ReadNanoseconds(server);
        long start = course.Time.GetTimestamp();
        course.Pause(duration);
        long used = ReadNanoseconds(server) - before;
        course.CancellationToken.ThrowIfCancellationRequested();
        return new IdleRow
        {
            Design = design.Name,
            ThreadCount = ThreadCount,
            CpuPercent = 100 * used / course.Time.GetElapsedTime(start).TotalNanoseconds,
        };
    }

    // If the threads cannot be read, the whole process is. Its other threads sleep meanwhile, except the compiler's.
    private static long ReadNanoseconds(UdpServer server) =>
        ServerClock.ReadNanoseconds(server) ?? (Environment.CpuUsage.TotalTime.Ticks * TimeSpan.NanosecondsPerTick);

    private sealed class Silent : UdpHandler
    {
        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
            // Nothing is sent to this server, and stray datagrams need no answer.
        }
    }
}

/// <summary>What a server uses while nothing is sent to it.</summary>
internal sealed record IdleRow
{
    /// <summary>For instance <c>reader-workers</c>.</summary>
    public required string Design { get; set; }

    public int ThreadCount { get; set; }

    /// <summary>The server's, in percent of one CPU.</summary>
    public required double CpuPercent { get; set; }
}
