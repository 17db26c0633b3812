using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Throughput;

/// <summary>
/// The report of <c>spate bench</c>: the throughput of every way to move datagrams. The rows are in the order of sizes,
/// then of ways; other programs come last.
/// </summary>
internal sealed record BenchReport : RoundsReport<BenchRow>
{
    public const string KindName = "bench";

    // The column after that of the datagrams per call.
    private const int BaselineColumn = 9;

    public BenchReport()
        : base(KindName, BenchRow.Metrics)
    {
    }

    public override double Seconds { get; set; }

    /// <summary>Null if <see cref="SocketTarget.Async"/> did not run at that size.</summary>
    public double? TimesBaseline(BenchRow row) => Array.Find(
        Rows,
        other => other.SizeBytes == row.SizeBytes
            && string.Equals(other.Name, SocketTarget.Async.Name, StringComparison.Ordinal))
        is { DatagramsPerSecond: > 0 } baseline
            ? row.DatagramsPerSecond / baseline.DatagramsPerSecond
            : null;

    internal override CapacityReading? ReadCapacity(int sizeBytes) =>
        RoundsCapacity.Of(this, Rows.Select(static row => (row.Name, row.Capacity)), sizeBytes);

    /// <summary>Writes a table and a chart for each size.</summary>
    public static void Write(BenchReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"{report.Placement}; medians of {BenchText.Rounds(report.Rounds)} of "
            + $"{report.RoundSeconds:0.00} s; {report.Seconds:0} s in total");
        Table<BenchRow> table = BenchRow.Metrics.TableWith(BaselineColumn, new(
            $"times {SocketTarget.Async.Name}", Align.Right, 3, row =>
                Units.Number(report.TimesBaseline(row), "0.0")));
        foreach (IGrouping<int, BenchRow> rows in report.Rows.GroupBy(static row => row.SizeBytes))
        {
            writer.Line();
            writer.Line($"{rows.Key} bytes");
            writer.Table(table, rows);
            writer.Line();
            writer.Bars([.. rows.Select(static row => new Bar(
                row.Name, row.DatagramsPerSecond, $"{Units.PerSecond(row.DatagramsPerSecond)}/s"))]);
            BenchText.WriteGsoFallbacks(rows.Select(static row => (row.Name, row.GsoFallbacks)), writer);
        }
    }
}

/// <summary>One way to move datagrams at one size: medians over the rounds, null where not known.</summary>
internal sealed record BenchRow : RoundsRow
{
    /// <summary>For instance <c>spate-mmsg-gso-gro</c>.</summary>
    public required string Name { get; set; }

    public required int SizeBytes { get; set; }

    /// <summary>Those that the receiver visited while the sender was sending.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>The payload of the same datagrams.</summary>
    public required double BitsPerSecond { get; set; }

    /// <summary>Never received; those in flight when the sender stopped count as received if they arrive.</summary>
    public required double LostPercent { get; set; }

    /// <summary>User and system time of the sender's thread.</summary>
    public required double? SendNanosecondsPerDatagram { get; set; }

    /// <summary>The receiver's own thread; where pool threads receive, the process less the sender's thread.</summary>
    public required double? ReceiveNanosecondsPerDatagram { get; set; }

    /// <summary>Allocated by the whole process; null for another program.</summary>
    public required double? AllocatedBytesPerDatagram { get; set; }

    /// <summary>In all rounds together; null for another program.</summary>
    public required int? Gen0Collections { get; set; }

    /// <summary>Only calls that returned at least one.</summary>
    public required double? DatagramsPerCall { get; set; }

    /// <summary>0 with one round.</summary>
    public required double SpreadPercent { get; set; }

    /// <summary>In all rounds. Each makes the row slower than it should be. Not part of the JSON.</summary>
    [JsonIgnore]
    public long GsoFallbacks { get; set; }

    internal static Metrics<BenchRow> Metrics { get; } =
        new Metrics<BenchRow>(static row => RowText.At(row.Name, row.SizeBytes))
            .Text("row", static row => row.Name)
            .Gain("datagrams/s", MetricFormat.PerSecond, 0, static row => row.DatagramsPerSecond, isMain: true)
            .Plain("Gbit/s", "0.00", 5, static row => row.BitsPerSecond / 1e9)
            .Cost("lost %", "0.0", 1, static row => row.LostPercent)
            .Cost("send ns", "0", 2, static row => row.SendNanosecondsPerDatagram)
            .Cost("receive ns", "0", 2, static row => row.ReceiveNanosecondsPerDatagram)
            .Cost("B/datagram", "0.00", 6, static row => row.AllocatedBytesPerDatagram)
            .Plain("gen-0", "0", 8, static row => row.Gen0Collections)
            .Plain("per call", "0.0", 7, static row => row.DatagramsPerCall)
            .Spread(4, static row => row.SpreadPercent);

    internal MeasuredCapacity Capacity => new(
        $"bench, {Name}", SizeBytes, DatagramsPerSecond, DatagramsPerSecond, LostPercent,
        ReceiveNanosecondsPerDatagram, Threads: 1, Cpus: null)
    {
        DatagramsPerCall = DatagramsPerCall,
    };

    /// <summary>The medians of a row's rounds, of which there is at least one.</summary>
    internal static BenchRow Of(string name, int sizeBytes, IReadOnlyList<RoundMeasurement> rounds)
    {
        double[] rates = [.. rounds.Select(static round => round.DatagramsPerSecond)];
        return new BenchRow
        {
            Name = name,
            SizeBytes = sizeBytes,
            DatagramsPerSecond = Statistics.Median(rates),
            BitsPerSecond = rounds.Median(static round => round.BitsPerSecond),
            LostPercent = rounds.Median(static round => round.LostPercent),
            SendNanosecondsPerDatagram = rounds.MedianOfKnown(static round => round.SendNanosecondsPerDatagram),
            ReceiveNanosecondsPerDatagram = rounds.MedianOfKnown(static round => round.ReceiveNanosecondsPerDatagram),
            AllocatedBytesPerDatagram = rounds.MedianOfKnown(static round => round.AllocatedBytesPerDatagram),
            Gen0Collections = rounds.Sum(static round => round.Gen0Collections),
            DatagramsPerCall = rounds.MedianOfKnown(static round => round.DatagramsPerCall),
            SpreadPercent = Statistics.SpreadPercent(rates),
            Samples = rates,
            GsoFallbacks = rounds.Sum(static round => round.GsoFallbacks),
        };
    }
}
