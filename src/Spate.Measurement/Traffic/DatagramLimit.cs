namespace Spate.Measurement.Traffic;

/// <summary>How many datagrams all flows together may still take.</summary>
internal sealed class DatagramLimit(long? datagramCount)
{
    private long _left = datagramCount ?? 0;

    public bool IsReached => datagramCount is not null && Volatile.Read(ref _left) <= 0;

    /// <summary>Takes one datagram; returns false once the limit is reached.</summary>
    public bool TryTake() => datagramCount is null || Interlocked.Decrement(ref _left) >= 0;
}
