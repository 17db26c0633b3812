using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Spate.Measurement.Iperf2.Wire;

/// <summary>
/// What a client says of its test behind the header of every datagram: at 16 the flags, then the number of its flows,
/// its port, its size, its rate and its amount (4 bytes each), at 40 an extension whose upper flags (2 bytes at 48)
/// name the kind of test, at 52 a version (8), at 62 the traffic class (2) and at 64 the rate (8).
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly struct Iperf2Settings
{
    /// <summary>Bytes with the header.</summary>
    public const int Bytes = 76;

    private const int FlagsOffset = 16;
    private const int ExtensionEnd = 52;
    private const int UpperFlagsOffset = 48;

    private const uint AsksOldWay = 0x8000_0000;
    private const uint IsExtended = 0x4000_0000;
    private const uint IsWideFlag = 0x0800_0000;

    // That a length follows in the low bits, and the length that iperf 2.1.8 names.
    private const uint LengthOf218 = 0x0001_0098;

    private const uint Version218Upper = 0x0002_0001;
    private const uint Version218Lower = 0x0008_0003;

    private const ushort Reverse = 0x0400;
    private const ushort FullDuplex = 0x0800;

    private Iperf2Settings(bool isWide, bool asksForData) => (IsWide, AsksForData) = (isWide, asksForData);

    /// <summary>Whether numbers have a high half.</summary>
    public bool IsWide { get; }

    /// <summary>
    /// Whether the client wants data sent to it: <c>-d</c> and <c>-r</c> of all versions, <c>-R</c> and
    /// <c>--full-duplex</c> of later ones.
    /// </summary>
    public bool AsksForData { get; }

    /// <summary>Reads what a datagram says. One that is too short, or of an old client, says nothing.</summary>
    public static Iperf2Settings Read(ReadOnlySpan<byte> payload)
    {
        if (payload.Length < FlagsOffset + sizeof(uint)) return default;

        uint flags = BinaryPrimitives.ReadUInt32BigEndian(payload[FlagsOffset..]);
        if ((flags & IsWideFlag) == 0)
        {
            // Before 2.1 the flags lay where the high half of the number is now, and the number of flows behind them.
            uint oldFlags = BinaryPrimitives.ReadUInt32BigEndian(payload[(FlagsOffset - sizeof(uint))..]);
            return new Iperf2Settings(isWide: false, (oldFlags & ~1u) == AsksOldWay);
        }

        bool asksForData = (flags & AsksOldWay) != 0;
        if ((flags & IsExtended) != 0 && payload.Length >= ExtensionEnd)
        {
            ushort upper = BinaryPrimitives.ReadUInt16BigEndian(payload[UpperFlagsOffset..]);
            asksForData |= (upper & (Reverse | FullDuplex)) != 0;
        }

        return new Iperf2Settings(isWide: true, asksForData);
    }

    /// <summary>
    /// Writes what a plain test says, as much of it as a payload has room for. The header's bytes stay as they are.
    /// </summary>
    /// <param name="payload">The whole payload of a datagram.</param>
    /// <param name="flowCount">Flows of the client.</param>
    /// <param name="port">The server's port.</param>
    /// <param name="bitsPerSecond">The rate of a flow; 0 for none.</param>
    /// <param name="trafficClass">The traffic class byte.</param>
    /// <param name="amount">Bytes to send, or hundredths of a second below 0.</param>
    public static void Write(
        Span<byte> payload, int flowCount, int port, long bitsPerSecond, int trafficClass, long amount)
    {
        if (payload.Length <= Iperf2Header.Bytes) return;

        Span<byte> all = stackalloc byte[Bytes];
        all.Clear();
        uint flags = payload.Length >= Bytes ? IsExtended | IsWideFlag | LengthOf218 : IsWideFlag;
        BinaryPrimitives.WriteUInt32BigEndian(all[16..], flags);
        BinaryPrimitives.WriteInt32BigEndian(all[20..], flowCount);
        BinaryPrimitives.WriteInt32BigEndian(all[24..], port);
        BinaryPrimitives.WriteInt32BigEndian(all[28..], payload.Length);
        BinaryPrimitives.WriteInt32BigEndian(all[36..], (int)Math.Clamp(amount, int.MinValue, int.MaxValue));
        BinaryPrimitives.WriteUInt32BigEndian(all[52..], Version218Upper);
        BinaryPrimitives.WriteUInt32BigEndian(all[56..], Version218Lower);
        BinaryPrimitives.WriteUInt16BigEndian(all[62..], (ushort)trafficClass);
        BinaryPrimitives.WriteUInt32BigEndian(all[64..], unchecked((uint)bitsPerSecond));
        BinaryPrimitives.WriteUInt32BigEndian(all[68..], (uint)(bitsPerSecond >> 32));

        int most = Math.Min(Bytes, payload.Length);
        all[Iperf2Header.Bytes..most].CopyTo(payload[Iperf2Header.Bytes..]);
    }
}
