using System.Buffers.Binary;

namespace Spate.Cli.Iperf.Iperf2.Wire;

/// <summary>
/// A server's answer to the end of a flow. Big endian: 16 bytes without meaning, at 16 the flags (4 bytes), at 20 the
/// payload bytes (8), at 28 the seconds and at 32 the microseconds (4 each), at 36 the loss, at 40 what was out of
/// order, at 44 the total (4 each), at 48 the jitter's seconds and at 52 its microseconds (4 each). Version 2.1 adds 72
/// bytes, of which the last twelve are the high halves of the loss, of what was out of order and of the total.
/// </summary>
internal static class Iperf2Answer
{
    /// <summary>The length of version 2.1's answer.</summary>
    public const int Bytes = 128;

    /// <summary>The shortest answer that tells something: iperf 2.1.8 shows nonsense for a shorter one.</summary>
    public const int MinBytes = 56;

    private const uint HasFigures = 0x8000_0000;
    private const uint HasHighHalves = 0x0800_0000;

    private const int FlagsOffset = 16;
    private const int BytesOffset = 20;
    private const int SecondsOffset = 28;
    private const int LostOffset = 36;
    private const int OutOfOrderOffset = 40;
    private const int TotalOffset = 44;
    private const int JitterOffset = 48;
    private const int HighOffset = 116;

    /// <summary>The answer's length, so that nobody gets more than what came from there; 0 for none.</summary>
    public static int LengthFor(int requestBytes) => requestBytes < MinBytes ? 0 : Math.Min(requestBytes, Bytes);

    /// <summary>Writes an answer over the whole of a payload of <see cref="MinBytes"/> or more.</summary>
    public static void Write(Span<byte> payload, Iperf2ServerReport report)
    {
        payload.Clear();
        Iperf2Counts counts = report.Counts;
        bool isWhole = payload.Length >= Bytes;
        BinaryPrimitives.WriteUInt32BigEndian(
            payload[FlagsOffset..], isWhole ? HasFigures | HasHighHalves : HasFigures);
        BinaryPrimitives.WriteInt64BigEndian(payload[BytesOffset..], counts.Bytes);
        WriteTime(payload[SecondsOffset..], report.Seconds);
        WriteTime(payload[JitterOffset..], counts.JitterSeconds);
        BinaryPrimitives.WriteUInt32BigEndian(payload[LostOffset..], unchecked((uint)counts.Lost));
        BinaryPrimitives.WriteUInt32BigEndian(payload[OutOfOrderOffset..], unchecked((uint)counts.OutOfOrder));
        BinaryPrimitives.WriteUInt32BigEndian(payload[TotalOffset..], unchecked((uint)counts.Total));
        if (!isWhole) return;

        BinaryPrimitives.WriteUInt32BigEndian(payload[HighOffset..], (uint)(counts.Lost >> 32));
        BinaryPrimitives.WriteUInt32BigEndian(payload[(HighOffset + 4)..], (uint)(counts.OutOfOrder >> 32));
        BinaryPrimitives.WriteUInt32BigEndian(payload[(HighOffset + 8)..], (uint)(counts.Total >> 32));
    }

    /// <summary>Reads an answer that anyone may have sent; null for what is none.</summary>
    public static Iperf2ServerReport? Read(ReadOnlySpan<byte> payload)
    {
        if (payload.Length < MinBytes) return null;

        uint flags = BinaryPrimitives.ReadUInt32BigEndian(payload[FlagsOffset..]);
        if ((flags & HasFigures) == 0) return null;

        bool isWhole = (flags & HasHighHalves) != 0 && payload.Length >= Bytes;
        var counts = new Iperf2Counts(
            Bytes: BinaryPrimitives.ReadInt64BigEndian(payload[BytesOffset..]),
            Lost: ReadCount(payload, LostOffset, isWhole ? HighOffset : 0),
            Total: ReadCount(payload, TotalOffset, isWhole ? HighOffset + 8 : 0),
            OutOfOrder: ReadCount(payload, OutOfOrderOffset, isWhole ? HighOffset + 4 : 0),
            JitterSeconds: ReadTime(payload[JitterOffset..]));
        return counts.Bytes < 0 || counts.Lost < 0 || counts.Total < 0 || counts.OutOfOrder < 0
            ? null
            : new Iperf2ServerReport(ReadTime(payload[SecondsOffset..]), counts);
    }

    private static long ReadCount(ReadOnlySpan<byte> payload, int lowOffset, int highOffset)
    {
        long high = highOffset == 0 ? 0 : BinaryPrimitives.ReadInt32BigEndian(payload[highOffset..]);
        return (high << 32) | BinaryPrimitives.ReadUInt32BigEndian(payload[lowOffset..]);
    }

    private static void WriteTime(Span<byte> payload, double seconds)
    {
        long microseconds = (long)Math.Round(Math.Clamp(seconds, 0, int.MaxValue) * 1e6);
        BinaryPrimitives.WriteUInt32BigEndian(payload, (uint)(microseconds / 1_000_000));
        BinaryPrimitives.WriteUInt32BigEndian(payload[4..], (uint)(microseconds % 1_000_000));
    }

    private static double ReadTime(ReadOnlySpan<byte> payload) =>
        BinaryPrimitives.ReadUInt32BigEndian(payload) + (BinaryPrimitives.ReadUInt32BigEndian(payload[4..]) / 1e6);
}
