using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Spate.Messages;

/// <summary>
/// The layout of control messages on 64-bit Linux (cmsg(3)). A message is a header of 16 bytes (length, level and type)
/// and then the data; each message starts at a multiple of 8 bytes. Numbers are in the machine's byte order.
/// </summary>
internal static class ControlMessages
{
    /// <summary>
    /// Room for all control messages that a dual-stack socket can request at once: UDP_GRO 24, two pktinfo 32 + 40, two
    /// traffic classes 48, two hop limits 48, a time stamp 32. MSG_CTRUNC would report a buffer that is too small.
    /// </summary>
    internal const int MaxReceivedBytes = 256;

    internal const int HeaderBytes = 16;
    internal const int LevelOffset = 8;
    internal const int TypeOffset = 12;

    /// <summary>Rounds up to the alignment of control messages, as CMSG_ALIGN does.</summary>
    internal static int Align(int bytes) => (bytes + 7) & ~7;

    /// <summary>The number of bytes that a message with this much data takes in the buffer (CMSG_SPACE).</summary>
    internal static int Space(int dataBytes) => HeaderBytes + Align(dataBytes);
}

/// <summary>
/// One control message. <see cref="Data"/> is the message's part of the buffer that was read, without padding. If the
/// buffer was too small (MSG_CTRUNC), the data may be shorter than the message's type requires.
/// </summary>
internal readonly ref struct ControlMessage(int level, int type, ReadOnlySpan<byte> data)
{
    internal int Level { get; } = level;

    internal int Type { get; } = type;

    internal ReadOnlySpan<byte> Data { get; } = data;
}

/// <summary>
/// Reads the control messages that the kernel wrote, one after the other. The reader never reads outside the bytes that
/// the kernel wrote, and always ends. A length that is smaller than a header or larger than the remaining bytes ends
/// the reading, because nothing after such a length can be trusted.
/// </summary>
internal ref struct ControlMessageReader(ReadOnlySpan<byte> control)
{
    private ReadOnlySpan<byte> _rest = control;

    /// <summary>Reads the next message. Returns false at the end.</summary>
    internal bool TryRead(out ControlMessage message)
    {
        message = default;
        if (_rest.Length < ControlMessages.HeaderBytes) return false;
        ulong messageBytes = MemoryMarshal.Read<ulong>(_rest);
        if (messageBytes < ControlMessages.HeaderBytes || messageBytes > (ulong)_rest.Length)
        {
            _rest = [];
            return false;
        }
        int length = (int)messageBytes;
        message = new ControlMessage(
            MemoryMarshal.Read<int>(_rest[ControlMessages.LevelOffset..]),
            MemoryMarshal.Read<int>(_rest[ControlMessages.TypeOffset..]),
            _rest[ControlMessages.HeaderBytes..length]);

        // The padding after the last message may be missing.
        int aligned = ControlMessages.Align(length);
        Debug.Assert(aligned >= ControlMessages.HeaderBytes, "Each message shortens the rest, so the reading ends.");
        _rest = (uint)aligned < (uint)_rest.Length ? _rest[aligned..] : [];
        return true;
    }
}

/// <summary>
/// Appends control messages to a buffer. <see cref="Length"/> is the value for msg_controllen. A message that does not
/// fit is a bug of Spate: the writer throws before it writes anything.
/// </summary>
internal ref struct ControlMessageWriter(Span<byte> buffer)
{
    private readonly Span<byte> _buffer = buffer;

    /// <summary>The number of bytes used so far, padding included.</summary>
    internal int Length { get; private set; }

    internal void Add<T>(int level, int type, in T value)
        where T : unmanaged =>
        AddBytes(level, type, MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)));

    internal void AddBytes(int level, int type, scoped ReadOnlySpan<byte> data)
    {
        Span<byte> rest = _buffer[Length..];
        if (data.Length > rest.Length || ControlMessages.Space(data.Length) > rest.Length)
        {
            throw new InvalidOperationException(
                $"A control message of {data.Length} bytes does not fit into the {rest.Length} bytes left.");
        }
        int space = ControlMessages.Space(data.Length);
        int messageBytes = ControlMessages.HeaderBytes + data.Length;
        MemoryMarshal.Write(rest, (ulong)messageBytes);
        MemoryMarshal.Write(rest[ControlMessages.LevelOffset..], level);
        MemoryMarshal.Write(rest[ControlMessages.TypeOffset..], type);
        data.CopyTo(rest[ControlMessages.HeaderBytes..]);
        rest[messageBytes..space].Clear();
        Length += space;
        Debug.Assert(Length == ControlMessages.Align(Length), "The next message starts at a multiple of 8 bytes.");
    }
}
