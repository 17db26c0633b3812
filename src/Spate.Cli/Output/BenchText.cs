using Spate.Measurement;
using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Drain;
using Spate.Measurement.Bench.Sockets;

namespace Spate.Cli.Output;

/// <summary>The tables and charts of <c>spate bench</c> and its subcommands.</summary>
internal static partial class BenchText
{
    private const string NotKnown = "-";

    public static void Write(BenchResult result, BenchReport report, Streams streams)
    {
        WriteHead(report, streams);
        streams.Output.WriteLine(SafeText.Clean($"{result.Placement.Note}; medians of {Rounds(result.RoundCount)} of "
            + $"{result.RoundSeconds:0.00} s; {result.TotalSeconds:0} s in all"));
        foreach (IGrouping<int, BenchRowResult> rows in result.Rows.GroupBy(static row => row.SizeBytes))
        {
            streams.Output.WriteLine();
            streams.Output.WriteLine($"{rows.Key} bytes");
            TableOutput.Write(TableOf(rows), streams);
            streams.Output.WriteLine();
            BarChartOutput.Write([.. rows.Select(BarOf)], streams);
            WriteDemotions(rows.Select(static row => (row.Name, row.Demotions)), streams);
        }
    }

    public static void Write(DrainResult result, DrainReport report, Streams streams)
    {
        WriteHead(report, streams);
        string cpu = result.Cpu is { } cpuIndex ? $"CPU {cpuIndex}" : "no CPU pinned";
        streams.Output.WriteLine($"{cpu}; medians of {Rounds(report.Rounds)}; {result.TotalSeconds:0} s in all");
        foreach (IGrouping<int, DrainRowResult> rows in result.Rows.GroupBy(static row => row.SizeBytes))
        {
            streams.Output.WriteLine();
            streams.Output.WriteLine($"{rows.Key} bytes, nanoseconds per datagram");
            var table = new Table(
                new("row"), new("receive ns", true), new("spread %", true), new("send ns", true),
                new("spread %", true));
            foreach (DrainRowResult row in rows)
            {
                table.Add(
                    row.Name,
                    $"{row.ReceiveNanosecondsPerDatagram:0.0}",
                    Spread(row.ReceiveSpreadPercent, row.RoundCount),
                    $"{row.SendNanosecondsPerDatagram:0.0}",
                    Spread(row.SendSpreadPercent, row.RoundCount));
            }

            TableOutput.Write(table, streams);
            WriteDemotions(rows.Select(static row => (row.Name, row.Demotions)), streams);
        }
    }

    public static void Write(SocketsResult result, SocketsReport report, Streams streams)
    {
        WriteHead(report, streams);
        string cpu = result.Cpu is { } cpuIndex ? $"CPU {cpuIndex}" : "no CPU pinned";
        streams.Output.WriteLine(
            $"{cpu}; medians of up to {Rounds(report.Rounds)}; {result.TotalSeconds:0} s in all");
        streams.Output.WriteLine();
        var table = new Table(
            new("sockets", true), new("queued", true), new("mode"), new("receive ns", true), new("spread %", true));
        foreach (SocketsRowResult row in result.Rows)
        {
            table.Add(
                $"{row.SocketCount}",
                $"{row.QueuedCount}",
                row.Mode,
                $"{row.ReceiveNanosecondsPerDatagram:0.0}",
                Spread(row.SpreadPercent, row.RoundCount));
        }

        TableOutput.Write(table, streams);
    }

    // A small path MTU that the kernel has learnt for the loopback (ip route get 127.0.0.1) makes the figure another
    // one.
    private static void WriteDemotions(IEnumerable<(string Name, long Demotions)> rows, Streams streams)
    {
        foreach ((string name, long demotions) in rows.Where(static row => row.Demotions > 0))
        {
            streams.Output.WriteLine(
                $"{name}: the route refused {demotions} trains, which were sent plainly; spate info shows the MTU");
        }
    }

    internal static string Rounds(int count) => count == 1 ? "1 round" : $"{count} rounds";

    internal static void WriteHead(Report report, Streams streams) => streams.Output.WriteLine(SafeText.Clean(
        $"{report.Kernel}, {report.Runtime}, {report.Cpus} CPUs, "
        + $"resident {report.ResidentPeakBytes >> 20} MiB at most"));

    private static Table TableOf(IEnumerable<BenchRowResult> rows)
    {
        var table = new Table(
            new("row"), new("datagrams/s", true), new("Gbit/s", true), new("lost %", true), new("send ns", true),
            new("receive ns", true), new("B/datagram", true), new("gen-0", true), new("per call", true),
            new("times socket-async", true), new("spread %", true));
        foreach (BenchRowResult row in rows)
        {
            table.Add(
                row.Name,
                Units.PerSecond(row.DatagramsPerSecond),
                $"{row.BitsPerSecond / 1e9:0.00}",
                Text(row.LostPercent, "0.0"),
                Text(row.SendNanosecondsPerDatagram, "0"),
                Text(row.ReceiveNanosecondsPerDatagram, "0"),
                Text(row.AllocatedBytesPerDatagram, "0.00"),
                Text(row.Gen0Collections, "0"),
                Text(row.DatagramsPerCall, "0.0"),
                Text(row.TimesSocketAsync, "0.0"),
                Text(row.SpreadPercent, "0"));
        }

        return table;
    }

    private static Bar BarOf(BenchRowResult row) =>
        new(row.Name, row.DatagramsPerSecond, $"{Units.PerSecond(row.DatagramsPerSecond)}/s");

    /// <summary>How far the rounds lie apart; one round has no spread.</summary>
    internal static string Spread(double? percent, int roundCount) => Text(roundCount > 1 ? percent : null, "0");

    internal static string Text(double? value, string format) => value?.ToString(format) ?? NotKnown;
}
