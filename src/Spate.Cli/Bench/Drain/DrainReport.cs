using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Drain;

/// <summary>The report of <c>spate bench drain</c>, in which one thread fills a socket and then empties it.</summary>
internal sealed record DrainReport : RoundsReport<DrainRow>
{
    public const string KindName = "drain";

    public DrainReport()
        : base(KindName, DrainRow.Metrics)
    {
    }

    internal override CapacityReading? ReadCapacity(int sizeBytes) =>
        RoundsCapacity.Of(this, Rows.Select(static row => (row.Name, row.Capacity)), sizeBytes);

    /// <summary>Writes a table for each size.</summary>
    public static void Write(DrainReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"{BenchText.CpuOf(report)}; medians of {BenchText.Rounds(report.Rounds)}; "
            + $"{report.Seconds:0} s in total");
        foreach (IGrouping<int, DrainRow> rows in report.Rows.GroupBy(static row => row.SizeBytes))
        {
            writer.Line();
            writer.Line($"{rows.Key} bytes, nanoseconds per datagram");
            writer.Table(DrainRow.Metrics.Table, rows);
            BenchText.WriteGsoFallbacks(rows.Select(static row => (row.Name, row.GsoFallbacks)), writer);
        }
    }
}

/// <summary>One way to move datagrams at one size: medians over the rounds.</summary>
internal sealed record DrainRow : RoundsRow
{
    /// <summary>For instance <c>spate-mmsg-gso-gro</c>.</summary>
    public required string Name { get; set; }

    public required int SizeBytes { get; set; }

    /// <summary>Time to receive and visit one queued datagram, in nanoseconds.</summary>
    public required double ReceiveNanosecondsPerDatagram { get; set; }

    /// <summary>Time to write 8 bytes into one datagram and send it, in nanoseconds.</summary>
    public required double SendNanosecondsPerDatagram { get; set; }

    /// <summary>The spread of the receive times. Not part of the JSON.</summary>
    [JsonIgnore]
    public double ReceiveSpreadPercent { get; set; }

    /// <summary>The spread of the send times. Not part of the JSON.</summary>
    [JsonIgnore]
    public double SendSpreadPercent { get; set; }

    /// <summary>Each makes the row slower than it should be. Not part of the JSON.</summary>
    [JsonIgnore]
    public long GsoFallbacks { get; set; }

    internal static Metrics<DrainRow> Metrics { get; } =
        new Metrics<DrainRow>(static row => RowText.At(row.Name, row.SizeBytes))
            .Text("row", static row => row.Name)
            .Cost("receive ns", "0.0", 0, static row => row.ReceiveNanosecondsPerDatagram, isMain: true)
            .Spread(2, static row => row.ReceiveSpreadPercent)
            .Cost("send ns", "0.0", 1, static row => row.SendNanosecondsPerDatagram)
            .Spread(3, static row => row.SendSpreadPercent);

    internal MeasuredCapacity Capacity => new(
        $"drain, {Name}", SizeBytes, 1e9 / ReceiveNanosecondsPerDatagram, MeasuredPerSecond: null, LostPercent: null,
        ReceiveNanosecondsPerDatagram, Threads: 1, Cpus: null)
    {
        Assumptions =
            ["the socket is never empty: the wake-ups of the reader under a real load are not included"],
    };
}
