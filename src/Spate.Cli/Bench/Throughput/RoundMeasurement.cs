using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Throughput;

/// <summary>The counts of one cell in one round, and the figures computed from them.</summary>
internal sealed record RoundMeasurement
{
    /// <summary>Datagrams that the system accepted from the sender.</summary>
    public required long Sent { get; init; }

    /// <summary>Datagrams that the receiver read, including those in flight when the sender stopped.</summary>
    public required long Received { get; init; }

    /// <summary>
    /// Datagrams that the receiver read while the sender was sending. The rate is computed from them.
    /// </summary>
    public required long ReceivedWhileSending { get; init; }

    /// <summary>Payload bytes of <see cref="Received"/>.</summary>
    public required long ReceivedBytes { get; init; }

    /// <summary>Receive calls that returned at least one datagram.</summary>
    public required long Calls { get; init; }

    /// <summary>How long the sender sent.</summary>
    public required TimeSpan Sending { get; init; }

    /// <summary>CPU time of the sending side; null where the system does not tell.</summary>
    public required long? SenderCpuNanoseconds { get; init; }

    /// <summary>CPU time of the receiving side; null where the system does not tell.</summary>
    public required long? ReceiverCpuNanoseconds { get; init; }

    /// <summary>What the sender's thread used of its CPU.</summary>
    public ThreadUse SenderUse { get; init; }

    /// <summary>
    /// What the receiver's thread used of its CPU; null where pool or library threads receive, which move.
    /// </summary>
    public ThreadUse? ReceiverUse { get; init; }

    /// <summary>Bytes that the whole process allocated between the first datagram and the last.</summary>
    public required long AllocatedBytes { get; init; }

    /// <summary>Gen-0 collections in the same time.</summary>
    public required int Gen0Collections { get; init; }

    /// <summary>The receive buffer that the system granted, in bytes.</summary>
    public int BufferGrantedBytes { get; init; }

    /// <summary>GSO messages that the route refused; their datagrams were sent plainly.</summary>
    public long GsoFallbacks { get; init; }

    public double DatagramsPerSecond =>
        Sending > TimeSpan.Zero ? ReceivedWhileSending / Sending.TotalSeconds : 0;

    public double BitsPerSecond =>
        Received > 0 ? DatagramsPerSecond * 8 * ((double)ReceivedBytes / Received) : 0;

    public double LostPercent => Sent > 0 ? Math.Clamp(100.0 * (1 - ((double)Received / Sent)), 0, 100) : 0;

    public double? SendNanosecondsPerDatagram => Per(SenderCpuNanoseconds, Sent);

    public double? ReceiveNanosecondsPerDatagram => Per(ReceiverCpuNanoseconds, Received);

    public double? AllocatedBytesPerDatagram => Per(AllocatedBytes, Received);

    public double? DatagramsPerCall => Per(Received, Calls);

    private static double? Per(long? amount, long count) =>
        amount is long some && count > 0 ? (double)some / count : null;
}
