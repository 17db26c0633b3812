using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sockets;

/// <summary>One way to receive from many sockets: medians over the rounds.</summary>
internal sealed record SocketsRow
{
    /// <summary>The number of sockets, all of which had datagrams.</summary>
    public required int Sockets { get; set; }

    /// <summary>The way to receive: <c>poller</c>, <c>awaitable</c> or <c>in-turn</c>.</summary>
    public required string Mode { get; set; }

    /// <summary>Datagrams that were queued in each socket.</summary>
    public required int Queued { get; set; }

    /// <summary>Payload bytes of a datagram.</summary>
    public required int SizeBytes { get; set; }

    /// <summary>The time to empty all sockets, in nanoseconds per datagram received.</summary>
    public required double ReceiveNanosecondsPerDatagram { get; set; }

    /// <summary>How far <see cref="Samples"/> lie apart, see <c>SpreadPercent</c>.</summary>
    public required double SpreadPercent { get; set; }

    /// <summary>The receive nanoseconds per datagram of each round, in the order of the rounds.</summary>
    public double[] Samples { get; set; } = [];

    /// <summary>What can be better or worse.</summary>
    internal IEnumerable<ComparedFigure> Figures =>
    [
        ComparedFigure.Cost(
            RowText.At($"{Mode}, {RowText.Count(Sockets, "socket")}, {Queued} queued", SizeBytes),
            ComparedFigure.Receive,
            ReceiveNanosecondsPerDatagram,
            Samples),
    ];

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(SocketsRow), PrintMembers, (nameof(Samples), Samples));
}
