using System.Buffers.Binary;
using System.Net.Sockets;

namespace Spate.HostTuning.Reading.Probing;

/// <summary>Requests and replies of ICMP echo (RFC 792, RFC 4443 section 4).</summary>
internal static class EchoMessage
{
    public const int HeadBytes = 8;

    private const byte Request4 = 8;
    private const byte Reply4 = 0;
    private const byte Request6 = 128;
    private const byte Reply6 = 129;

    // The head of an IPv4 packet states its own length in words of 4 bytes.
    private const int Ipv4Version = 4;
    private const int MinIpv4HeadBytes = 20;

    private const int SequenceOffset = 6;
    private const byte Filler = 0x55;

    /// <summary>Fills the buffer. The kernel puts its own identifier there for its echo sockets (icmp(7)).</summary>
    public static void WriteRequest(
        Span<byte> buffer, AddressFamily family, ushort id, ushort sequence, ReadOnlySpan<byte> mark)
    {
        buffer.Fill(Filler);
        buffer[..HeadBytes].Clear();
        buffer[0] = family == AddressFamily.InterNetworkV6 ? Request6 : Request4;
        BinaryPrimitives.WriteUInt16BigEndian(buffer[4..], id);
        BinaryPrimitives.WriteUInt16BigEndian(buffer[SequenceOffset..], sequence);
        mark.CopyTo(buffer[HeadBytes..]);

        // For IPv6 the sum covers the addresses too; the kernel writes that one by itself (RFC 3542, 3.1).
        if (family == AddressFamily.InterNetwork) BinaryPrimitives.WriteUInt16BigEndian(buffer[2..], Checksum(buffer));
    }

    /// <summary>For IPv4 the message may have the head of its packet ahead of it (raw(7)).</summary>
    public static bool IsReply(
        ReadOnlySpan<byte> message, AddressFamily family, ushort sequence, ReadOnlySpan<byte> mark)
    {
        if (family == AddressFamily.InterNetwork && message.Length >= MinIpv4HeadBytes
            && message[0] >> 4 == Ipv4Version)
        {
            message = message[Math.Min(message.Length, (message[0] & 0xf) * 4)..];
        }

        byte type = family == AddressFamily.InterNetworkV6 ? Reply6 : Reply4;
        return message.Length >= HeadBytes + mark.Length
            && message[0] == type
            && BinaryPrimitives.ReadUInt16BigEndian(message[SequenceOffset..]) == sequence
            && message.Slice(HeadBytes, mark.Length).SequenceEqual(mark);
    }

    // RFC 1071.
    private static ushort Checksum(ReadOnlySpan<byte> bytes)
    {
        uint sum = 0;
        for (int i = 0; i < bytes.Length; i += 2)
        {
            sum += (uint)(bytes[i] << 8 | (i + 1 < bytes.Length ? bytes[i + 1] : 0));
        }

        while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
        return (ushort)~sum;
    }
}
