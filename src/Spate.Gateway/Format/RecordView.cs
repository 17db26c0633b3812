using System.Buffers.Binary;
using System.Runtime.CompilerServices;

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

/// <summary>The flags of a record; the numbers are those of the format.</summary>
[Flags]
internal enum RecordFlags : byte
{
    /// <summary>A whole datagram of an IPv4 peer, with no address but the peer's.</summary>
    None = 0,

    /// <summary>The datagram was longer than the gateway's slot; the rest of it is gone.</summary>
    Truncated = 1,

    /// <summary>The peer's address has 16 bytes.</summary>
    IPv6 = 2,

    /// <summary>The address that the datagram was sent to follows; it is of the peer's family.</summary>
    LocalAddress = 4,

    /// <summary>The scope of the peer's IPv6 address follows it.</summary>
    Scope = 8,

    /// <summary>All of version 1. What another flag adds to a record cannot be skipped, so it is refused.</summary>
    Known = Truncated | IPv6 | LocalAddress | Scope,
}

/// <summary>
/// Walks the records of a message in place: <c>foreach (RecordView record in new RecordReader(message))</c>. Only for
/// messages in which <see cref="FindFault"/> has found nothing, so that a message is taken whole or not at all.
/// </summary>
internal ref struct RecordReader
{
    private ReadOnlySpan<byte> _rest;
    private ReadOnlySpan<byte> _current;

    /// <summary>Begins before the first record.</summary>
    /// <param name="message">A message with a checked prefix, of records.</param>
    public RecordReader(PackMessage message) => _rest = message.Body;

    /// <summary>The record that the last step came to.</summary>
    public readonly RecordView Current => new(_current);

    /// <summary>
    /// Checks every record. It ends at the first one that does not fit into what is left, so it takes as long as the
    /// message is long, whatever count it names.
    /// </summary>
    public static FormatFault FindFault(PackMessage message)
    {
        ReadOnlySpan<byte> rest = message.Body;
        for (uint left = message.Count; left > 0; left--)
        {
            if (rest.Length < FormatLimits.MinRecordBytes) return FormatFault.Record;
            var flags = (RecordFlags)rest[RecordView.FlagsAt];
            if ((flags & ~RecordFlags.Known) != RecordFlags.None) return FormatFault.Record;
            if ((flags & (RecordFlags.Scope | RecordFlags.IPv6)) == RecordFlags.Scope) return FormatFault.Record;
            if (rest[RecordView.LocalIndexAt] >= message.LocalEndPointCount) return FormatFault.Record;
            int bytes = BytesOf(rest);
            if (bytes > rest.Length) return FormatFault.Record;
            rest = rest[bytes..];
        }

        return rest.IsEmpty ? FormatFault.None : FormatFault.Rest;
    }

    public readonly RecordReader GetEnumerator() => this;

    /// <summary>Steps to the next record.</summary>
    public bool MoveNext()
    {
        if (_rest.IsEmpty) return false;
        int bytes = BytesOf(_rest);
        _current = _rest[..bytes];
        _rest = _rest[bytes..];
        return true;
    }

    private static int BytesOf(ReadOnlySpan<byte> record) =>
        RecordView.HeadBytes((RecordFlags)record[RecordView.FlagsAt]) + BinaryPrimitives.ReadUInt16LittleEndian(record);
}

/// <summary>Writes datagrams into messages: for each one no allocation, and no call through an object.</summary>
internal static class RecordWriter
{
    // Stands for a local address that no flag asks for. A value would be made for every datagram.
    private static readonly UdpAddress Unused = UdpAddress.Any;

    /// <summary>Writes a datagram.</summary>
    /// <param name="destination">The rest of the message's buffer.</param>
    /// <param name="peer">Its sender; not the default value.</param>
    /// <param name="localAddress">
    /// The address that it was sent to. It is left out where it is the default value, or of another family than the
    /// peer.
    /// </param>
    /// <param name="localIndex">The local end point that it came in by: an index into the prefix's, 0 to 63.</param>
    /// <param name="sinceFirst">Nanoseconds since the first datagram of the message.</param>
    /// <param name="payload">Its payload.</param>
    /// <param name="isTruncated">Whether a part of it is gone.</param>
    /// <returns>The bytes written; 0 where there is no room, or where the payload has more than 65,535 bytes.</returns>
    public static int TryWrite(
        Span<byte> destination,
        in UdpEndPoint peer,
        in UdpAddress localAddress,
        int localIndex,
        uint sinceFirst,
        ReadOnlySpan<byte> payload,
        bool isTruncated)
    {
        RecordFlags flags = FlagsOf(in peer, isTruncated);
        bool isOfPeersFamily = !localAddress.IsDefault && localAddress.IsIPv6 == peer.IsIPv6;
        if (isOfPeersFamily) flags |= RecordFlags.LocalAddress;
        return TryWrite(destination, flags, in peer, in localAddress, localIndex, sinceFirst, payload);
    }

    /// <summary>As the other one, without a local address.</summary>
    public static int TryWrite(
        Span<byte> destination,
        in UdpEndPoint peer,
        int localIndex,
        uint sinceFirst,
        ReadOnlySpan<byte> payload,
        bool isTruncated) =>
        TryWrite(destination, FlagsOf(in peer, isTruncated), in peer, in Unused, localIndex, sinceFirst, payload);

    private static int TryWrite(
        Span<byte> destination,
        RecordFlags flags,
        in UdpEndPoint peer,
        in UdpAddress localAddress,
        int localIndex,
        uint sinceFirst,
        ReadOnlySpan<byte> payload)
    {
        int headBytes = RecordView.HeadBytes(flags);
        int recordBytes = headBytes + payload.Length;
        if (recordBytes > destination.Length || payload.Length > FormatLimits.MaxPayloadBytes) return 0;

        // The first eight bytes in one store: payload bytes, flags, local end point, time.
        Span<byte> record = destination[..recordBytes];
        ulong head = (uint)payload.Length | ((ulong)flags << 16) | ((ulong)(byte)localIndex << 24)
            | ((ulong)sinceFirst << 32);
        BinaryPrimitives.WriteUInt64LittleEndian(record, head);
        BinaryPrimitives.WriteUInt16LittleEndian(record[RecordView.PortAt..], (ushort)peer.Port);
        _ = peer.Address.TryWriteBytes(record[FormatLimits.RecordHeaderBytes..], out int addressBytes);
        if (headBytes > FormatLimits.RecordHeaderBytes + addressBytes)
        {
            WriteRest(record[(FormatLimits.RecordHeaderBytes + addressBytes)..], flags, in peer, in localAddress);
        }

        payload.CopyTo(record[headBytes..]);
        return recordBytes;
    }

    private static RecordFlags FlagsOf(in UdpEndPoint peer, bool isTruncated)
    {
        RecordFlags flags = isTruncated ? RecordFlags.Truncated : RecordFlags.None;
        if (!peer.IsIPv6) return flags;
        return peer.Address.ScopeId == 0 ? flags | RecordFlags.IPv6 : flags | RecordFlags.IPv6 | RecordFlags.Scope;
    }

    // Most gateways meet neither a scope nor a local address, so this stays out of the path of their datagrams.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void WriteRest(
        Span<byte> rest, RecordFlags flags, in UdpEndPoint peer, in UdpAddress localAddress)
    {
        if ((flags & RecordFlags.Scope) != RecordFlags.None)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(rest, peer.Address.ScopeId);
            rest = rest[sizeof(uint)..];
        }

        if ((flags & RecordFlags.LocalAddress) != RecordFlags.None) _ = localAddress.TryWriteBytes(rest, out _);
    }
}
