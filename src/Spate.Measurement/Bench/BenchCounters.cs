using System.Runtime.InteropServices;

namespace Spate.Measurement.Bench;

/// <summary>
/// What a receiver has counted. One writer (the receiving thread, or one logical flow of pool threads), any reader.
/// </summary>
internal sealed class BenchCounters
{
    private Padded _padded;

    /// <summary>The number of datagrams visited.</summary>
    public long Datagrams => Volatile.Read(ref _padded.Datagrams);

    /// <summary>The payload bytes of the datagrams visited.</summary>
    public long Bytes => Volatile.Read(ref _padded.Bytes);

    /// <summary>Receive calls that brought something.</summary>
    public long Calls => Volatile.Read(ref _padded.Calls);

    /// <summary>Sum over peers and first bytes; kept so that the reading cannot be optimised away.</summary>
    public long Checksum => Volatile.Read(ref _padded.Checksum);

    /// <summary>Adds what one call brought.</summary>
    public void Add(long datagrams, long bytes, long checksum)
    {
        Volatile.Write(ref _padded.Bytes, _padded.Bytes + bytes);
        Volatile.Write(ref _padded.Calls, _padded.Calls + 1);
        Volatile.Write(ref _padded.Checksum, _padded.Checksum + checksum);
        Volatile.Write(ref _padded.Datagrams, _padded.Datagrams + datagrams);
    }

    // The sender runs on the other CPU: a line of its own on both sides (64 bytes, and the prefetcher takes pairs).
    [StructLayout(LayoutKind.Explicit, Size = 288)]
    private struct Padded
    {
        [FieldOffset(128)]
        public long Datagrams;

        [FieldOffset(136)]
        public long Bytes;

        [FieldOffset(144)]
        public long Calls;

        [FieldOffset(152)]
        public long Checksum;
    }
}
