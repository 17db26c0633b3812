using System.Globalization;
using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Gateway;
using Spate.Cli.Serve;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using static Spate.Measurement.Reports.ComparedFigure;

namespace Spate.Cli.Comparison;

/// <summary>The figures of each kind of report that can be better or worse.</summary>
internal static class ReportFigures
{
    private const string Rate = "datagramsPerSecond";
    private const string Lost = "lostPercent";
    private const string Receive = "receiveNanosecondsPerDatagram";
    private const string Send = "sendNanosecondsPerDatagram";
    private const string Cpu = "threadNanosecondsPerDatagram";
    private const string Allocated = "allocatedBytesPerDatagram";

    /// <summary>The figures, in the order of the report; null for a report without any, as that of a host.</summary>
    public static IReadOnlyList<ComparedFigure>? Of(Report report) => report switch
    {
        TrafficReport traffic => [.. OfEnd("", traffic)],
        ServeReport server => [.. OfEnd("", server), Gain("", "processedPercent", server.ProcessedPercent)],
        GatewayReport gateway => [.. OfEnd("", gateway)],
        TestReport test => [.. test.Directions.SelectMany(direction => OfDirection(test, direction))],
        BenchReport bench => [.. bench.Rows.SelectMany(OfRow)],
        DrainReport drain => [.. drain.Rows.SelectMany(OfRow)],
        DesignsReport designs => [.. designs.Rows.SelectMany(OfRow)],
        PingPongReport pings => [.. pings.Rows.SelectMany(OfRow)],
        RelayReport relay => [.. relay.Rows.SelectMany(OfRow)],
        SessionsReport sessions => [.. sessions.Rows.SelectMany(OfRow)],
        SocketsReport sockets => [.. sockets.Rows.SelectMany(OfRow)],
        _ => null,
    };

    private static IEnumerable<ComparedFigure> OfEnd(string row, EndReport end)
    {
        yield return Gain(row, Rate, end.DatagramsPerSecond);
        if (end.LostPercent is not null) yield return Cost(row, Lost, end.LostPercent);
        if (end.Datagrams == 0) yield break;

        yield return CpuOf(row, end);
        yield return Cost(row, Allocated, (double)end.AllocatedBytes / end.Datagrams);
    }

    private static IEnumerable<ComparedFigure> OfDirection(TestReport test, TestDirectionReport direction)
    {
        bool isForward = direction.From is "client";
        string row = isForward ? "client to server" : "server to client";
        yield return Gain(row, Rate, direction.DatagramsPerSecond);
        yield return Cost(row, Lost, direction.LostPercent);
        TrafficReport? sent = (isForward ? test.Local : test.Remote).Sent;
        TrafficReport? received = (isForward ? test.Remote : test.Local).Received;
        foreach ((string end, TrafficReport? report) in ((string, TrafficReport?)[])
            [("sender", sent), ("receiver", received)])
        {
            if (report is { Datagrams: > 0 }) yield return CpuOf($"{row}, {end}", report);
        }
    }

    private static ComparedFigure CpuOf(string row, EndReport end)
    {
        var cost = EndCpu.Of(end);
        return Cost(row, Cpu, cost.NanosecondsPerDatagram) with { NoMeasure = cost.NoMeasure };
    }

    private static IEnumerable<ComparedFigure> OfRow(BenchRow row)
    {
        string name = At(row.Name, row.SizeBytes);
        yield return Gain(name, Rate, row.DatagramsPerSecond, row.Samples);
        yield return Cost(name, Lost, row.LostPercent);
        yield return Cost(name, Send, row.SendNanosecondsPerDatagram);
        yield return Cost(name, Receive, row.ReceiveNanosecondsPerDatagram);
        yield return Cost(name, Allocated, row.AllocatedBytesPerDatagram);
    }

    private static IEnumerable<ComparedFigure> OfRow(DrainRow row)
    {
        string name = At(row.Name, row.SizeBytes);
        yield return Cost(name, Receive, row.ReceiveNanosecondsPerDatagram, row.Samples);
        yield return Cost(name, Send, row.SendNanosecondsPerDatagram);
    }

    private static IEnumerable<ComparedFigure> OfRow(DesignRow row)
    {
        string name = $"{row.Design}, {Count(row.WorkRounds, "round")} of work, {Count(row.ThreadCount, "thread")}";
        yield return Cost(name, "nanosecondsPerDatagram", row.NanosecondsPerDatagram, row.Samples);
        yield return Gain(name, Rate, row.DatagramsPerSecond);
        yield return Gain(name, "processedPercent", row.ProcessedPercent);
    }

    private static IEnumerable<ComparedFigure> OfRow(PingPongRow row)
    {
        yield return Cost(row.Mode, "p50Microseconds", row.P50Microseconds, row.Samples);
        yield return Cost(row.Mode, "p99Microseconds", row.P99Microseconds);
        bool isSpinning = PingTargets.All.Any(
            one => one.Spins && one.Mode.Equals(row.Mode, StringComparison.Ordinal));
        yield return Cost(row.Mode, "cpuPercent", isSpinning ? null : row.CpuPercent) with
        {
            NoMeasure = isSpinning ? EndCpu.Spinning : null,
        };
    }

    private static IEnumerable<ComparedFigure> OfRow(RelayRow row)
    {
        string name = row.UsesGso ? $"{row.Name}, GSO messages" : row.Name;
        yield return Cost(name, "cpuPercentOfOneCore", row.CpuPercentOfOneCore, row.Samples);
        yield return Gain(name, Rate, row.DatagramsPerSecond);
        yield return Cost(name, Lost, row.LostPercent);
    }

    private static IEnumerable<ComparedFigure> OfRow(SessionsRow row)
    {
        string name = At($"{Count(row.Peers, "peer")}, {row.Pattern}", row.SizeBytes);
        yield return Cost(name, "nanosecondsPerDatagram", row.NanosecondsPerDatagram, row.Samples);
    }

    private static IEnumerable<ComparedFigure> OfRow(SocketsRow row)
    {
        string name = At($"{row.Mode}, {Count(row.Sockets, "socket")}, {row.Queued} queued", row.SizeBytes);
        yield return Cost(name, Receive, row.ReceiveNanosecondsPerDatagram, row.Samples);
    }

    private static string At(string name, int sizeBytes) => $"{name}, {Count(sizeBytes, "byte")}";

    private static string Count(int count, string noun) =>
        string.Create(CultureInfo.InvariantCulture, $"{count} {noun}{(count == 1 ? "" : "s")}");
}
