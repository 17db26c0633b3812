using System.Buffers.Binary;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// The datagrams of a stream: the two that begin it, and the header of data, which is the sender's monotonic time and a
/// counter from 1, all in network order.
/// </summary>
internal static class Iperf3Datagram
{
    public const int ConnectBytes = 4;

    private const int MicrosecondsOffset = 4;
    private const int CounterOffset = 8;
    private const long NanosecondsPerSecond = 1_000_000_000;
    private const long NanosecondsPerMicrosecond = 1000;

    public static ReadOnlySpan<byte> ConnectRequest => "9876"u8;

    public static ReadOnlySpan<byte> ConnectReply => "6789"u8;

    /// <summary>What a client of iperf3 up to 3.11 begins with on a little-endian host: 123456789.</summary>
    public static ReadOnlySpan<byte> LegacyConnectRequest => [0x15, 0xCD, 0x5B, 0x07];

    /// <summary>What a server of iperf3 up to 3.11 answers on a little-endian host: 987654321.</summary>
    public static ReadOnlySpan<byte> LegacyConnectReply => [0xB1, 0x68, 0xDE, 0x3A];

    public static int HeaderBytes(bool is64) => CounterOffset + (is64 ? sizeof(ulong) : sizeof(uint));

    /// <summary>
    /// Whether a datagram answers <see cref="ConnectRequest"/>. Up to 3.16 a big-endian host sent the bytes of the
    /// number in its own order, so these are answers too.
    /// </summary>
    public static bool IsConnectReply(ReadOnlySpan<byte> datagram) => datagram.Length == ConnectBytes
        && (datagram.SequenceEqual(ConnectReply)
            || datagram.SequenceEqual(LegacyConnectReply)
            || datagram.SequenceEqual("9876"u8)
            || datagram.SequenceEqual<byte>([0x3A, 0xDE, 0x68, 0xB1]));

    /// <summary>Whole microseconds are sent, and of a 32-bit counter the lower bits.</summary>
    public static void Write(Span<byte> datagram, long nanoseconds, long counter, bool is64)
    {
        (long seconds, long rest) = Math.DivRem(nanoseconds, NanosecondsPerSecond);
        BinaryPrimitives.WriteUInt32BigEndian(datagram, unchecked((uint)seconds));
        BinaryPrimitives.WriteUInt32BigEndian(
            datagram[MicrosecondsOffset..], unchecked((uint)(rest / NanosecondsPerMicrosecond)));
        Span<byte> end = datagram[CounterOffset..];
        if (is64) BinaryPrimitives.WriteUInt64BigEndian(end, unchecked((ulong)counter));
        else BinaryPrimitives.WriteUInt32BigEndian(end, unchecked((uint)counter));
    }

    /// <summary>False for a datagram that is too short. Else the values are as a stranger wrote them.</summary>
    public static bool TryRead(
        ReadOnlySpan<byte> datagram, bool is64, out long sentNanoseconds, out ulong rawCounter)
    {
        if (datagram.Length < HeaderBytes(is64))
        {
            (sentNanoseconds, rawCounter) = (0, 0);
            return false;
        }

        sentNanoseconds = (BinaryPrimitives.ReadUInt32BigEndian(datagram) * NanosecondsPerSecond)
            + (BinaryPrimitives.ReadUInt32BigEndian(datagram[MicrosecondsOffset..]) * NanosecondsPerMicrosecond);
        ReadOnlySpan<byte> end = datagram[CounterOffset..];
        rawCounter = is64 ? BinaryPrimitives.ReadUInt64BigEndian(end) : BinaryPrimitives.ReadUInt32BigEndian(end);
        return true;
    }
}
