using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// The layout of a message that multishot recvmsg writes into a provided buffer: a header, room for the name and for
/// control messages in the requested sizes, then the payload (io_uring_prep_recvmsg_multishot.3). Its methods have no
/// side effects. A read never goes beyond the received bytes, even if the header contains wrong sizes.
/// </summary>
internal readonly struct MessageLayout(int nameBytes, int controlBytes)
{
    public int NameBytes { get; } = nameBytes;

    public int ControlBytes { get; } = controlBytes;

    public int PayloadOffsetBytes => Unsafe.SizeOf<io_uring_recvmsg_out>() + NameBytes + ControlBytes;

    /// <summary>
    /// Reads the parts of a message. Returns false if the received bytes are too few for the header, the name and the
    /// control messages.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryRead(ReadOnlySpan<byte> received, out ReceivedMessage message)
    {
        message = default;
        if (received.Length < PayloadOffsetBytes) return false;
        io_uring_recvmsg_out header = MemoryMarshal.Read<io_uring_recvmsg_out>(received);
        int headerBytes = Unsafe.SizeOf<io_uring_recvmsg_out>();
        int payloadBytes = received.Length - PayloadOffsetBytes;
        message = new ReceivedMessage
        {
            Name = received.Slice(headerBytes, (int)Math.Min(header.namelen, (uint)NameBytes)),
            Control = received.Slice(headerBytes + NameBytes, (int)Math.Min(header.controllen, (uint)ControlBytes)),
            PayloadBytes = (int)Math.Min(header.payloadlen, (uint)payloadBytes),
            Flags = (int)header.flags,
        };
        return true;
    }
}

/// <summary>The parts of one received message.</summary>
internal ref struct ReceivedMessage
{
    public ReadOnlySpan<byte> Name;
    public ReadOnlySpan<byte> Control;
    public int PayloadBytes;
    public int Flags;
}
