namespace Spate.Measurement.Bench.Drain;

/// <summary>One row of the drain bench at one size: medians over the rounds.</summary>
public sealed record DrainRowResult
{
    /// <summary>The row's name.</summary>
    public required string Name { get; init; }

    /// <summary>Payload bytes of every datagram.</summary>
    public required int SizeBytes { get; init; }

    /// <summary>Time to receive and visit one queued datagram, in nanoseconds.</summary>
    public required double ReceiveNanosecondsPerDatagram { get; init; }

    /// <summary>Time to write 8 bytes into one datagram and send it, in nanoseconds.</summary>
    public required double SendNanosecondsPerDatagram { get; init; }

    /// <summary>Slowest round less fastest, in per cent of the median receive time.</summary>
    public double ReceiveSpreadPercent { get; init; }

    /// <summary>The same of the send time.</summary>
    public double SendSpreadPercent { get; init; }

    /// <summary>Datagrams that the socket was filled with in each round.</summary>
    public int DatagramCount { get; init; }

    /// <summary>Trains that the route refused: above 0 the row is slower than it should be.</summary>
    public long Demotions { get; init; }

    /// <summary>Receive buffer that the system granted, in bytes.</summary>
    public int BufferGrantedBytes { get; init; }

    /// <summary>Rounds behind the medians.</summary>
    public int RoundCount { get; init; }
}
