using System.Buffers.Binary;
using System.Text;

namespace Spate.TestHelpers.Hosts;

/// <summary>Makes netlink messages as a little-endian kernel does.</summary>
internal static class NetlinkBytes
{
    private const int NewLink = 16;
    private const int NewQueue = 36;
    private const int SocketByFamily = 20;
    private const int Done = 3;
    private const int SocketMemory = 7;

    public static byte[] Message(int type, params byte[][] parts)
    {
        byte[] body = [.. parts.SelectMany(part => part)];
        byte[] message = new byte[16 + body.Length];
        BinaryPrimitives.WriteInt32LittleEndian(message, message.Length);
        BinaryPrimitives.WriteInt16LittleEndian(message.AsSpan(4), (short)type);
        body.CopyTo(message, 16);
        return Padded(message);
    }

    public static byte[] Attribute(int number, params byte[] value)
    {
        byte[] attribute = new byte[4 + value.Length];
        BinaryPrimitives.WriteUInt16LittleEndian(attribute, (ushort)attribute.Length);
        BinaryPrimitives.WriteUInt16LittleEndian(attribute.AsSpan(2), (ushort)number);
        value.CopyTo(attribute, 4);
        return Padded(attribute);
    }

    public static byte[] Link(int index, string name, params byte[][] attributes) => Message(
        NewLink,
        [0, 0, 0, 0, .. BitConverter.GetBytes(index), 0, 0, 0, 0, 0, 0, 0, 0],
        [.. Attribute(3, [.. Encoding.Latin1.GetBytes(name), 0]), .. attributes.SelectMany(one => one)]);

    public static byte[] Queue(int index, uint handle, uint parent, string kind, params byte[][] statistics) => Message(
        NewQueue,
        [0, 0, 0, 0],
        Numbers((uint)index, handle, parent, 2),
        Attribute(1, [.. Encoding.Latin1.GetBytes(kind), 0]),
        Attribute(7 | 0x8000, [.. statistics.SelectMany(one => one)]));

    /// <summary>The end of a dump.</summary>
    public static byte[] End() => Message(Done, Numbers(0));

    /// <summary>A UDP socket, with what the kernel says of its memory.</summary>
    public static byte[] Socket(
        uint inode,
        int port,
        uint drops,
        uint receiveBuffer = 212_992,
        uint sendBuffer = 212_992,
        uint queue = 0,
        uint sent = 0) =>
        Message(
            SocketByFamily,
            [2, 7, 0, 0, (byte)(port >> 8), (byte)port, .. new byte[46]],
            Numbers(0, queue, sent, 1000, inode),
            Attribute(SocketMemory, Numbers(queue, receiveBuffer, 0, sendBuffer, 0, 0, 0, 0, drops)));

    public static byte[] Numbers(params uint[] numbers) => [.. numbers.SelectMany(BitConverter.GetBytes)];

    public static byte[] Numbers(IEnumerable<ulong> numbers) => [.. numbers.SelectMany(BitConverter.GetBytes)];

    private static byte[] Padded(byte[] bytes) => [.. bytes, .. new byte[-bytes.Length & 3]];
}
