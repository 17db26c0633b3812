using System.Runtime.InteropServices;

namespace Spate.Messages;

/// <summary>
/// The layout of control messages on 64-bit Linux (cmsg(3)): length, level and type in 16 bytes, then the data, each
/// message starting at a multiple of 8 bytes. Numbers are in the machine's byte order.
/// </summary>
internal static class ControlMessages
{
    /// <summary>
    /// All that can be requested at once, on a dual-stack socket: UDP_GRO 24, two pktinfo 32 + 40, two traffic classes
    /// 48, two hop limits 48, a time stamp 32. MSG_CTRUNC would report a buffer that is too small.
    /// </summary>
    internal const int MaxReceivedBytes = 256;

    internal const int HeaderBytes = 16;
    internal const int LevelOffset = 8;
    internal const int TypeOffset = 12;

    /// <summary>Rounds up to the alignment of control messages, as CMSG_ALIGN does.</summary>
    internal static int Align(int bytes) => (bytes + 7) & ~7;

    /// <summary>CMSG_SPACE: the buffer space of a message with this much data.</summary>
    internal static int Space(int dataBytes) => HeaderBytes + Align(dataBytes);
}

/// <summary>
/// One control message. Its data is part of the buffer that was read, without padding. The data may be shorter than its
/// type requires if the buffer was too small (MSG_CTRUNC).
/// </summary>
internal readonly ref struct ControlMessage(int level, int type, ReadOnlySpan<byte> data)
{
    internal int Level { get; } = level;

    internal int Type { get; } = type;

    internal ReadOnlySpan<byte> Data { get; } = data;
}

/// <summary>
/// Walks the control bytes that the kernel wrote. It never reads outside them and always ends: a length smaller than a
/// header or larger than the rest ends the walk, since nothing after it can be trusted.
/// </summary>
internal ref struct ControlMessageReader(ReadOnlySpan<byte> control)
{
    private ReadOnlySpan<byte> _rest = control;

    /// <summary>The next message; false at the end.</summary>
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

        // The last message may end short of its padding.
        int aligned = ControlMessages.Align(length);
        _rest = (uint)aligned < (uint)_rest.Length ? _rest[aligned..] : [];
        return true;
    }
}

/// <summary>
/// Appends control messages to a buffer. <see cref="Length"/> is the value for msg_controllen. A message that does not
/// fit is our own fault and throws, before anything is written.
/// </summary>
internal ref struct ControlMessageWriter(Span<byte> buffer)
{
    private readonly Span<byte> _buffer = buffer;

    /// <summary>Bytes used so far, padding included.</summary>
    internal int Length { get; private set; }

    internal void AddInt(int level, int type, int value) =>
        AddBytes(level, type, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(in value)));

    internal void AddUInt16(int level, int type, ushort value) =>
        AddBytes(level, type, MemoryMarshal.AsBytes(new ReadOnlySpan<ushort>(in value)));

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
    }
}
