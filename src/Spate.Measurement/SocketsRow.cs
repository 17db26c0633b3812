namespace Spate.Measurement;

/// <summary>One way to receive from many sockets: medians over the rounds.</summary>
public sealed class SocketsRow
{
    /// <summary>Sockets that had something.</summary>
    public required int Sockets { get; set; }

    /// <summary>The way: <c>poller</c>, <c>awaitable</c> or <c>in-turn</c>.</summary>
    public required string Mode { get; set; }

    /// <summary>Datagrams that were queued in each socket.</summary>
    public required int Queued { get; set; }

    /// <summary>Payload bytes of a datagram.</summary>
    public required int SizeBytes { get; set; }

    /// <summary>Nanoseconds of emptying all sockets, per datagram received.</summary>
    public required double ReceiveNanosecondsPerDatagram { get; set; }

    /// <summary>Slowest round less fastest, in per cent of the median.</summary>
    public required double SpreadPercent { get; set; }
}
