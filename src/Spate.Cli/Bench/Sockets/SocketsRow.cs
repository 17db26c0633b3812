using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sockets;

/// <summary>One way to receive from many sockets: medians over the rounds.</summary>
internal sealed record SocketsRow
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

    /// <summary>The receive nanoseconds per datagram of each round, in the order of the rounds.</summary>
    public double[] Samples { get; set; } = [];

    internal IEnumerable<ComparedFigure> Figures =>
    [
        ComparedFigure.Cost(
            RowText.At($"{Mode}, {RowText.Count(Sockets, "socket")}, {Queued} queued", SizeBytes),
            ComparedFigure.Receive,
            ReceiveNanosecondsPerDatagram,
            Samples),
    ];

    public override string ToString() => RecordText.Of(nameof(SocketsRow), PrintMembers, (nameof(Samples), Samples));
}
