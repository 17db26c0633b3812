using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Throughput;

/// <summary>The counts of one cell in one round, and the figures computed from them.</summary>
internal sealed record RoundMeasurement
{
    /// <summary>Accepted by the system.</summary>
    public required long Sent { get; init; }

    /// <summary>Including those in flight when the sender stopped.</summary>
    public required long Received { get; init; }

    /// <summary>The rate is computed from them.</summary>
    public required long ReceivedWhileSending { get; init; }

    public required long ReceivedBytes { get; init; }

    /// <summary>Receive calls that returned at least one datagram.</summary>
    public required long Calls { get; init; }

    public required TimeSpan Sending { get; init; }

    /// <summary>Null where the system does not tell.</summary>
    public required long? SenderCpuNanoseconds { get; init; }

    /// <summary>Null where the system does not tell.</summary>
    public required long? ReceiverCpuNanoseconds { get; init; }

    public ThreadUse SenderUse { get; init; }

    /// <summary>Null where pool or library threads receive, which move.</summary>
    public ThreadUse? ReceiverUse { get; init; }

    /// <summary>Bytes that the whole process allocated between the first datagram and the last.</summary>
    public required long AllocatedBytes { get; init; }

    public required int Gen0Collections { get; init; }

    public int BufferGrantedBytes { get; init; }

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
