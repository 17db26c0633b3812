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

/// <summary>
/// What a client says of its test behind the header of every datagram: at 16 the flags, then the number of its flows,
/// the port to send back to, its size, a rate of old clients and its amount (4 bytes each), at 40 an extension whose
/// upper flags (2 bytes at 48) name the kind of test, at 52 a version (8), at 62 the traffic class (2), at 64 the low
/// half of the rate and at 68 its high half, 8 bits to the left (4 each). Before 2.1 all lay 4 bytes before.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct Iperf2Settings
{
    public const int Bytes = 76;

    private const int OldFlagsOffset = 12;
    private const int FlagsOffset = 16;

    // From the flags on.
    private const int PortOffset = 8;
    private const int SizeOffset = 12;
    private const int OldRateOffset = 16;
    private const int AmountOffset = 20;
    private const int BaseBytes = 24;

    private const int UpperFlagsOffset = 48;
    private const int ExtensionEnd = 52;
    private const int RateOffset = 64;
    private const int RateEnd = 72;

    private const uint AsksOldWay = 0x8000_0000;
    private const uint IsExtended = 0x4000_0000;
    private const uint IsWideFlag = 0x0800_0000;
    private const uint AsksNewWay = 0x0400_0000;
    private const uint AtOnce = 1;

    // That a length follows in the low bits, and the length that iperf 2.1.8 names.
    private const uint LengthOf218 = 0x0001_0098;

    private const uint Version218Upper = 0x0002_0001;
    private const uint Version218Lower = 0x0008_0003;

    private const ushort ReverseFlag = 0x0400;
    private const ushort FullDuplex = 0x0800;

    public bool IsWide { get; init; }

    public Iperf2Reverse Reverse { get; init; }

    /// <summary>Whether it wants data in a way that is not spoken: <c>-R</c> or <c>--full-duplex</c>.</summary>
    public bool AsksOtherwise { get; init; }

    public int FlowCount { get; init; }

    /// <summary>Where it listens, as it says; of a stranger anything.</summary>
    public int Port { get; init; }

    /// <summary>The payload bytes of a datagram; 0 for the default, of a stranger anything.</summary>
    public int SizeBytes { get; init; }

    /// <summary>The rate of a flow; 0 for none.</summary>
    public long BitsPerSecond { get; init; }

    /// <summary>The traffic class byte. It is written and not read.</summary>
    public int TrafficClass { get; init; }

    /// <summary>Bytes to send, or hundredths of a second below 0.</summary>
    public long Amount { get; init; }

    /// <summary>Reads what a datagram says. One that is too short, or of an old client, says nothing.</summary>
    public static Iperf2Settings Read(ReadOnlySpan<byte> payload)
    {
        if (payload.Length < FlagsOffset + sizeof(uint)) return default;

        uint flags = BinaryPrimitives.ReadUInt32BigEndian(payload[FlagsOffset..]);
        if ((flags & IsWideFlag) == 0)
        {
            // Before 2.1 the flags lay where the high half of the number is now.
            uint oldFlags = BinaryPrimitives.ReadUInt32BigEndian(payload[OldFlagsOffset..]);
            return (oldFlags & ~AtOnce) == AsksOldWay ? ReadBase(payload[OldFlagsOffset..]) : default;
        }

        Iperf2Settings settings = ReadBase(payload[FlagsOffset..]) with { IsWide = true };
        if ((flags & IsExtended) == 0 || payload.Length < ExtensionEnd) return settings;

        ushort upper = BinaryPrimitives.ReadUInt16BigEndian(payload[UpperFlagsOffset..]);
        settings = settings with { AsksOtherwise = (upper & (ReverseFlag | FullDuplex)) != 0 };
        if (payload.Length < RateEnd) return settings;

        long low = BinaryPrimitives.ReadUInt32BigEndian(payload[RateOffset..]);
        long high = BinaryPrimitives.ReadUInt32BigEndian(payload[(RateOffset + sizeof(uint))..]) >> 8;
        return settings with { BitsPerSecond = (high << 32) | low };
    }

    /// <summary>Writes as much as the payload has room for; the header's bytes stay as they are.</summary>
    public void Write(Span<byte> payload)
    {
        if (payload.Length <= Iperf2Header.Bytes) return;

        Span<byte> all = stackalloc byte[Bytes];
        all.Clear();
        uint asks = Reverse switch
        {
            Iperf2Reverse.Together => AsksOldWay | AtOnce,
            Iperf2Reverse.After => AsksOldWay,
            _ => 0,
        };
        uint flags = payload.Length >= Bytes ? IsExtended | IsWideFlag | LengthOf218 : IsWideFlag;
        BinaryPrimitives.WriteUInt32BigEndian(all[16..], flags | asks);
        BinaryPrimitives.WriteInt32BigEndian(all[20..], FlowCount);
        BinaryPrimitives.WriteInt32BigEndian(all[24..], Port);
        BinaryPrimitives.WriteInt32BigEndian(all[28..], SizeBytes);
        BinaryPrimitives.WriteInt32BigEndian(all[36..], (int)Math.Clamp(Amount, int.MinValue, int.MaxValue));
        BinaryPrimitives.WriteUInt32BigEndian(all[52..], Version218Upper);
        BinaryPrimitives.WriteUInt32BigEndian(all[56..], Version218Lower);
        BinaryPrimitives.WriteUInt16BigEndian(all[62..], (ushort)TrafficClass);
        BinaryPrimitives.WriteUInt32BigEndian(all[RateOffset..], unchecked((uint)BitsPerSecond));
        BinaryPrimitives.WriteUInt32BigEndian(all[(RateOffset + sizeof(uint))..], (uint)(BitsPerSecond >> 32) << 8);

        int most = Math.Min(Bytes, payload.Length);
        all[Iperf2Header.Bytes..most].CopyTo(payload[Iperf2Header.Bytes..]);
    }

    private static Iperf2Settings ReadBase(ReadOnlySpan<byte> fields)
    {
        if (fields.Length < BaseBytes) return default;

        uint flags = BinaryPrimitives.ReadUInt32BigEndian(fields);
        bool asks = (flags & (AsksOldWay | AsksNewWay)) == AsksOldWay;
        return new Iperf2Settings
        {
            Reverse = !asks ? Iperf2Reverse.None
                : (flags & AtOnce) != 0 ? Iperf2Reverse.Together
                : Iperf2Reverse.After,
            FlowCount = BinaryPrimitives.ReadInt32BigEndian(fields[sizeof(uint)..]),
            Port = BinaryPrimitives.ReadInt32BigEndian(fields[PortOffset..]),
            SizeBytes = BinaryPrimitives.ReadInt32BigEndian(fields[SizeOffset..]),
            BitsPerSecond = BinaryPrimitives.ReadUInt32BigEndian(fields[OldRateOffset..]),
            Amount = BinaryPrimitives.ReadInt32BigEndian(fields[AmountOffset..]),
        };
    }
}

internal enum Iperf2Reverse
{
    None,

    /// <summary>As much as the client sends, at the same time (<c>-d</c>).</summary>
    Together,

    /// <summary>As much as the client has sent, when that has ended (<c>-r</c>).</summary>
    After,
}

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
        IperfCounts counts = report.Counts;
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
        var counts = new IperfCounts(
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

/// <summary>What a server says of a flow when it acknowledges the end.</summary>
internal sealed record Iperf2ServerReport(double Seconds, IperfCounts Counts);
