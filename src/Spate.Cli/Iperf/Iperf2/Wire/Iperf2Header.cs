using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Spate.Cli.Iperf.Iperf2.Wire;

/// <summary>
/// What begins each datagram of a client: its number and its time of sending. All fields are big endian: at 0 the low
/// half of the number (4 bytes), at 4 the seconds and at 8 the microseconds of the wall clock (4 each), at 12 the high
/// half of the number (4). Numbers count from 1; a negative one ends the flow. Clients before 2.1, and those in
/// compatibility mode, have only the low half, which their flags tell.
/// </summary>
/// <param name="Number">The number, negative for the end; 0 is the first one of clients before 2.1.</param>
/// <param name="SentNanoseconds">The time of sending since 1970; 0 where there is no room for it.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct Iperf2Header(long Number, long SentNanoseconds)
{
    /// <summary>Bytes with a number alone, as the rest that iperf 2.1.8 sends last of a number of bytes.</summary>
    public const int MinBytes = 4;

    public const int TimedBytes = 12;

    public const int Bytes = 16;

    private const int SecondsOffset = 4;
    private const int MicrosecondsOffset = 8;
    private const int HighOffset = 12;

    /// <summary>Reads the header of a datagram that anyone may have sent. Returns false for a short one.</summary>
    public static bool TryRead(ReadOnlySpan<byte> payload, bool isWide, out Iperf2Header header)
    {
        if (payload.Length < MinBytes)
        {
            header = default;
            return false;
        }

        long number = BinaryPrimitives.ReadInt32BigEndian(payload);
        if (isWide && payload.Length >= Bytes)
        {
            long high = BinaryPrimitives.ReadInt32BigEndian(payload[HighOffset..]);
            number = (high << 32) | (uint)number;
        }

        if (payload.Length < TimedBytes)
        {
            header = new Iperf2Header(number, SentNanoseconds: 0);
            return true;
        }

        long seconds = BinaryPrimitives.ReadUInt32BigEndian(payload[SecondsOffset..]);
        long microseconds = BinaryPrimitives.ReadUInt32BigEndian(payload[MicrosecondsOffset..]);
        header = new Iperf2Header(number, (seconds * 1_000_000_000) + (microseconds * 1000));
        return true;
    }

    /// <summary>Writes the header; the high half where the payload has room for it.</summary>
    public void Write(Span<byte> payload)
    {
        BinaryPrimitives.WriteInt32BigEndian(payload, unchecked((int)Number));
        BinaryPrimitives.WriteUInt32BigEndian(payload[SecondsOffset..], (uint)(SentNanoseconds / 1_000_000_000));
        BinaryPrimitives.WriteUInt32BigEndian(
            payload[MicrosecondsOffset..], (uint)(SentNanoseconds % 1_000_000_000 / 1000));
        if (payload.Length >= Bytes) BinaryPrimitives.WriteInt32BigEndian(payload[HighOffset..], (int)(Number >> 32));
    }
}
