namespace Spate.Measurement.Bench.Sockets;

/// <summary>One row of the sockets bench: medians over the rounds.</summary>
public sealed record SocketsRowResult
{
    /// <summary>Sockets that had something.</summary>
    public required int SocketCount { get; init; }

    /// <summary>The way they were emptied.</summary>
    public required string Mode { get; init; }

    /// <summary>Datagrams queued in each.</summary>
    public required int QueuedCount { get; init; }

    /// <summary>Payload bytes of every datagram.</summary>
    public required int SizeBytes { get; init; }

    /// <summary>Time to receive and visit one queued datagram, in nanoseconds.</summary>
    public required double ReceiveNanosecondsPerDatagram { get; init; }

    /// <summary>Slowest round less fastest, in per cent of the median.</summary>
    public required double SpreadPercent { get; init; }

    /// <summary>Rounds behind the median.</summary>
    public required int RoundCount { get; init; }
}
