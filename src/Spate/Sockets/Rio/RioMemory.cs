using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;

namespace Spate.Sockets.Rio;

/// <summary>
/// The memory that the system fills: one registration for all slots of a socket, since each registration locks its
/// pages and costs a call. First the payloads, then the peers, then the control messages of all slots.
/// </summary>
// SAFETY: the memory lives from the constructor until Free, which is called after the last completion, or never. A slot
// belongs to the system from its post to its completion, and otherwise to the thread that has taken the completion.
internal sealed unsafe class RioMemory
{
    private const nuint PageBytes = 4096;
    private const int LineBytes = 64;

    // A peer is a SOCKADDR_INET of 28 bytes (ws2ipdef.h).
    private const int PeerBytes = 28;
    private const int PeerStride = 32;

    // The control messages begin after their total length (RIO_CMSG_BASE_SIZE). After them come the flags.
    private const int ControlHeadBytes = 8;
    private const int ControlBytes = 504;
    private const int FlagsBytes = 4;
    private const int ControlStride = 512;

    private readonly byte* _memory;
    private readonly uint _bytes;
    private readonly int _payloadStride;
    private readonly uint _peersOffset;
    private readonly uint _controlsOffset;
    private nint _id;
    private bool _isRegistered;

    public RioMemory(RioShape shape)
    {
        SlotCount = shape.SlotCount;

        // One byte more than the longest payload: a datagram that reaches this byte is too long, whatever its status.
        PayloadBytes = shape.PayloadBytes + 1;
        _payloadStride = (PayloadBytes + LineBytes - 1) & ~(LineBytes - 1);
        _peersOffset = (uint)(SlotCount * _payloadStride);
        _controlsOffset = _peersOffset + (uint)(SlotCount * PeerStride);
        _bytes = _controlsOffset + (uint)(SlotCount * ControlStride);
        _memory = (byte*)NativeMemory.AlignedAlloc(_bytes, PageBytes);
        NativeMemory.Clear(_memory + _peersOffset, _bytes - _peersOffset);
    }

    public int SlotCount { get; }

    /// <summary>The bytes of a payload that a slot takes, of which the last is only for datagrams too long.</summary>
    public int PayloadBytes { get; }

    /// <exception cref="SocketException">The system refused, mostly since it may lock no more memory.</exception>
    public void Register<TCalls>(TCalls calls)
        where TCalls : struct, IRioCalls
    {
        _id = calls.RegisterBuffer(_memory, _bytes, out int error);
        if (error != 0)
        {
            throw new SocketException(
                error, $"The system refused to lock {_bytes} bytes for Registered I/O ({(SocketError)error}).");
        }

        _isRegistered = true;
    }

    public void Deregister<TCalls>(TCalls calls)
        where TCalls : struct, IRioCalls
    {
        if (_isRegistered) calls.DeregisterBuffer(_id);
        _isRegistered = false;
    }

    public void Free() => NativeMemory.AlignedFree(_memory);

    public RIO_BUF PayloadSlice(int slotIndex) => Slice((uint)(slotIndex * _payloadStride), PayloadBytes);

    public RIO_BUF PeerSlice(int slotIndex) => Slice(_peersOffset + (uint)(slotIndex * PeerStride), PeerBytes);

    public RIO_BUF ControlSlice(int slotIndex) =>
        Slice(_controlsOffset + (uint)(slotIndex * ControlStride), ControlBytes);

    public RIO_BUF FlagsSlice(int slotIndex) =>
        Slice(_controlsOffset + (uint)((slotIndex * ControlStride) + ControlBytes), FlagsBytes);

    public ReadOnlySpan<byte> Payload(int slotIndex, int bytes) =>
        new(_memory + (slotIndex * _payloadStride), Math.Min(bytes, PayloadBytes));

    public UdpEndPoint Peer(int slotIndex)
    {
        ReadOnlySpan<byte> native = new(_memory + _peersOffset + (slotIndex * PeerStride), PeerBytes);
        UdpEndPoint peer = MemoryMarshal.Read<UdpEndPoint>(native);
        UdpEndPoint.Normalize(ref peer);
        return peer;
    }

    /// <summary>The control messages that the system wrote (RIO_CMSG_BUFFER: their length with its own head).</summary>
    public ReadOnlySpan<byte> Control(int slotIndex)
    {
        byte* control = _memory + _controlsOffset + (slotIndex * ControlStride);
        uint totalBytes = *(uint*)control;
        return totalBytes is < ControlHeadBytes or > ControlBytes
            ? []
            : new ReadOnlySpan<byte>(control + ControlHeadBytes, (int)totalBytes - ControlHeadBytes);
    }

    /// <summary>The flags of a datagram, such as MSG_BCAST.</summary>
    public uint Flags(int slotIndex) =>
        *(uint*)(_memory + _controlsOffset + (slotIndex * ControlStride) + ControlBytes);

    /// <summary>Forgets the control messages and flags of an earlier datagram.</summary>
    public void ClearControl(int slotIndex)
    {
        byte* control = _memory + _controlsOffset + (slotIndex * ControlStride);
        *(uint*)control = 0;
        *(uint*)(control + ControlBytes) = 0;
    }

    private RIO_BUF Slice(uint offsetBytes, int bytes)
    {
        Debug.Assert(offsetBytes + (uint)bytes <= _bytes, "The system refuses slices outside the registration.");
        return new RIO_BUF { BufferId = _id, Offset = offsetBytes, Length = (uint)bytes };
    }
}
