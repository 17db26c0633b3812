using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.Sockets;

/// <summary>
/// The report of <c>spate bench sockets</c>: one thread fills many sockets and then empties them. The rows are by
/// number of sockets, then by number of datagrams queued, then by mode.
/// </summary>
internal sealed record SocketsReport : RoundsReport<SocketsRow>
{
    public const string KindName = "sockets";

    public SocketsReport()
        : base(KindName, SocketsRow.Metrics)
    {
    }

    public static void Write(SocketsReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"{BenchText.CpuOf(report)}; medians of up to {BenchText.Rounds(report.Rounds)}; "
            + $"{report.Seconds:0} s in total");
        writer.Line();
        writer.Table(SocketsRow.Metrics.Table, report.Rows);
    }
}

/// <summary>One way to receive from many sockets: medians over the rounds.</summary>
internal sealed record SocketsRow : RoundsRow
{
    /// <summary>All of them had datagrams.</summary>
    public required int Sockets { get; set; }

    /// <summary><c>poller</c>, <c>awaitable</c> or <c>in-turn</c>.</summary>
    public required string Mode { get; set; }

    /// <summary>Datagrams in each socket.</summary>
    public required int Queued { get; set; }

    public required int SizeBytes { get; set; }

    /// <summary>The time to empty all sockets.</summary>
    public required double ReceiveNanosecondsPerDatagram { get; set; }

    public required double SpreadPercent { get; set; }

    internal static Metrics<SocketsRow> Metrics { get; } = new Metrics<SocketsRow>(static row => RowText.At(
            $"{row.Mode}, {RowText.Count(row.Sockets, "socket")}, {row.Queued} queued", row.SizeBytes))
        .Text("sockets", static row => $"{row.Sockets}", Align.Right)
        .Text("queued", static row => $"{row.Queued}", Align.Right)
        .Text("mode", static row => row.Mode)
        .Cost("receive ns", "0.0", 0, static row => row.ReceiveNanosecondsPerDatagram, isMain: true)
        .Spread(1, static row => row.SpreadPercent);
}
