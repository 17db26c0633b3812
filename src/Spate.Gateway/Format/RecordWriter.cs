using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Spate.Gateway.Format;

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
