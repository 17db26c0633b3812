using System.Buffers.Binary;

namespace Spate.Gateway.Format;

/// <summary>A record of a message, in place. <see cref="RecordReader.FindFault"/> has checked its bounds.</summary>
internal readonly ref struct RecordView
{
    internal const int FlagsAt = 2;
    internal const int LocalIndexAt = 3;
    internal const int NanosecondsAt = 4;
    internal const int PortAt = 8;

    private readonly ReadOnlySpan<byte> _record;

    internal RecordView(ReadOnlySpan<byte> record) => _record = record;

    public RecordFlags Flags => (RecordFlags)_record[FlagsAt];

    public int LocalIndex => _record[LocalIndexAt];

    /// <summary>Nanoseconds after the first time of the message.</summary>
    public uint Nanoseconds => BinaryPrimitives.ReadUInt32LittleEndian(_record[NanosecondsAt..]);

    public int PeerPort => BinaryPrimitives.ReadUInt16LittleEndian(_record[PortAt..]);

    /// <summary>The peer's address, 4 or 16 bytes.</summary>
    public ReadOnlySpan<byte> PeerAddress =>
        _record.Slice(FormatLimits.RecordHeaderBytes, AddressBytes(Flags));

    /// <summary>The scope of the peer's address; 0 for none.</summary>
    public uint PeerScope => (Flags & RecordFlags.Scope) == RecordFlags.None
        ? 0
        : BinaryPrimitives.ReadUInt32LittleEndian(_record[(FormatLimits.RecordHeaderBytes + FormatLimits.IPv6Bytes)..]);

    /// <summary>The address that the datagram was sent to, of the peer's family; empty where it is not told.</summary>
    public ReadOnlySpan<byte> LocalAddress => (Flags & RecordFlags.LocalAddress) == RecordFlags.None
        ? []
        : _record[..HeadBytes(Flags)][^AddressBytes(Flags)..];

    public ReadOnlySpan<byte> Payload => _record[HeadBytes(Flags)..];

    /// <summary>The bytes of a record before its payload.</summary>
    internal static int HeadBytes(RecordFlags flags) =>
        FormatLimits.RecordHeaderBytes + AddressBytes(flags)
        + ((flags & RecordFlags.Scope) != RecordFlags.None ? sizeof(uint) : 0)
        + ((flags & RecordFlags.LocalAddress) != RecordFlags.None ? AddressBytes(flags) : 0);

    private static int AddressBytes(RecordFlags flags) =>
        (flags & RecordFlags.IPv6) != RecordFlags.None ? FormatLimits.IPv6Bytes : FormatLimits.IPv4Bytes;
}
