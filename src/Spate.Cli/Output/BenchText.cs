using Spate.Measurement;
using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Drain;
using Spate.Measurement.Bench.Sockets;

namespace Spate.Cli.Output;

/// <summary>The tables and charts of <c>spate bench</c> and its subcommands.</summary>
internal static partial class BenchText
{
    private const string NotKnown = "-";

    public static void Write(BenchReport report, Streams streams)
    {
        WriteHead(report, streams);
        streams.Output.WriteLine(SafeText.Clean($"{report.Placement}; medians of {Rounds(report.Rounds)} of "
            + $"{report.RoundSeconds:0.00} s; {report.Seconds:0} s in all"));
        foreach (IGrouping<int, BenchRow> rows in report.Rows.GroupBy(static row => row.SizeBytes))
        {
            streams.Output.WriteLine();
            streams.Output.WriteLine($"{rows.Key} bytes");
            TableOutput.Write(TableOf(rows, report), streams);
            streams.Output.WriteLine();
            BarChartOutput.Write([.. rows.Select(BarOf)], streams);
            WriteDemotions(rows.Select(static row => (row.Name, row.Demotions)), streams);
        }
    }

    public static void Write(DrainReport report, Streams streams)
    {
        WriteHead(report, streams);
        streams.Output.WriteLine($"{CpuOf(report)}; medians of {Rounds(report.Rounds)}; {report.Seconds:0} s in all");
        foreach (IGrouping<int, DrainRow> rows in report.Rows.GroupBy(static row => row.SizeBytes))
        {
            streams.Output.WriteLine();
            streams.Output.WriteLine($"{rows.Key} bytes, nanoseconds per datagram");
            var table = new Table(
                new("row"), new("receive ns", true), new("spread %", true), new("send ns", true),
                new("spread %", true));
            foreach (DrainRow row in rows)
            {
                table.Add(
                    row.Name,
                    $"{row.ReceiveNanosecondsPerDatagram:0.0}",
                    Spread(row.ReceiveSpreadPercent, row.Samples),
                    $"{row.SendNanosecondsPerDatagram:0.0}",
                    Spread(row.SendSpreadPercent, row.Samples));
            }

            TableOutput.Write(table, streams);
            WriteDemotions(rows.Select(static row => (row.Name, row.Demotions)), streams);
        }
    }

    public static void Write(SocketsReport report, Streams streams)
    {
        WriteHead(report, streams);
        streams.Output.WriteLine(
            $"{CpuOf(report)}; medians of up to {Rounds(report.Rounds)}; {report.Seconds:0} s in all");
        streams.Output.WriteLine();
        var table = new Table(
            new("sockets", true), new("queued", true), new("mode"), new("receive ns", true), new("spread %", true));
        foreach (SocketsRow row in report.Rows)
        {
            table.Add(
                $"{row.Sockets}",
                $"{row.Queued}",
                row.Mode,
                $"{row.ReceiveNanosecondsPerDatagram:0.0}",
                Spread(row.SpreadPercent, row.Samples));
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

    private static string CpuOf(Report report) =>
        report.Threads[0].Cpu is { } cpu ? $"CPU {cpu}" : "no CPU pinned";

    internal static string Rounds(int count) => count == 1 ? "1 round" : $"{count} rounds";

    internal static void WriteHead(Report report, Streams streams) => streams.Output.WriteLine(SafeText.Clean(
        $"{report.Kernel}, {report.Runtime}, {report.Cpus} CPUs, "
        + $"resident {report.ResidentPeakBytes >> 20} MiB at most"));

    private static Table TableOf(IEnumerable<BenchRow> rows, BenchReport report)
    {
        var table = new Table(
            new("row"), new("datagrams/s", true), new("Gbit/s", true), new("lost %", true), new("send ns", true),
            new("receive ns", true), new("B/datagram", true), new("gen-0", true), new("per call", true),
            new("times socket-async", true), new("spread %", true));
        foreach (BenchRow row in rows)
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
                Text(report.TimesBaseline(row), "0.0"),
                Spread(row.SpreadPercent, row.Samples));
        }

        return table;
    }

    private static Bar BarOf(BenchRow row) =>
        new(row.Name, row.DatagramsPerSecond, $"{Units.PerSecond(row.DatagramsPerSecond)}/s");

    /// <summary>How far the rounds lie apart; one round has no spread.</summary>
    internal static string Spread(double? percent, double[] samples) => Text(samples.Length > 1 ? percent : null, "0");

    internal static string Text(double? value, string format) => value?.ToString(format) ?? NotKnown;
}
