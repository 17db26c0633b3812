using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Spate.Cli.Iperf.Iperf2.Wire;

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
