using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Slots with the message headers that point at them. All arrays are pinned and live as long as the batch. The kernel
/// changes lengths and flags of the headers that it fills; the receiver sets those again before every call.
/// </summary>
internal sealed unsafe class MmsgReceiveSlots : ReceiveSlots
{
    private const int MaxControlBytes = ControlMessages.MaxReceivedBytes;

    private readonly iovec[] _pieces;
    private readonly byte[] _control;

    public MmsgReceiveSlots(int slotCount, int slotBytes)
        : base(slotCount, slotBytes, slotBytes)
    {
        Messages = GC.AllocateArray<mmsghdr>(slotCount, pinned: true);
        _pieces = GC.AllocateArray<iovec>(slotCount, pinned: true);
        _control = GC.AllocateArray<byte>(slotCount * MaxControlBytes, pinned: true);
        First = (mmsghdr*)Marshal.UnsafeAddrOfPinnedArrayElement(Messages, 0);
        for (int i = 0; i < slotCount; i++)
        {
            // SAFETY: the iovec lies in a pinned array that this object keeps.
            Messages[i].msg_hdr.msg_iov = (iovec*)Marshal.UnsafeAddrOfPinnedArrayElement(_pieces, i);
            Messages[i].msg_hdr.msg_iovlen = 1;
        }
    }

    /// <summary>The first header, as the kernel takes them; valid as long as this object.</summary>
    public mmsghdr* First { get; }

    public mmsghdr[] Messages { get; }

    /// <summary>The headers that the kernel has written to since they were reset; counted from the first.</summary>
    public int WrittenCount { get; set; }

    /// <summary>The shape that the headers have; null before the first receive.</summary>
    public ReceiveShape? Shape { get; private set; }

    /// <summary>Points the headers at the buffers in the slots, and shapes them for a socket.</summary>
    public void Renew(ReceiveShape shape)
    {
        if (BuffersChanged) PointAtBuffers();
        if (Shape != shape || PeersChanged) TakeShape(shape);
    }

    public ReadOnlySpan<byte> ControlOf(int index) =>
        _control.AsSpan(
            index * MaxControlBytes, (int)Math.Min(MaxControlBytes, Messages[index].msg_hdr.msg_controllen));

    private void TakeShape(ReceiveShape shape)
    {
        Shape = shape;
        PeersChanged = false;
        WrittenCount = SlotCount;
        Span<ReceiveSlot> slots = All;
        for (int i = 0; i < slots.Length; i++)
        {
            // A shorter IPv4 address must not keep the tail of an IPv6 one. A connected socket's peer is known
            // beforehand.
            slots[i].Peer = shape.Remote;
            ref msghdr header = ref Messages[i].msg_hdr;

            // SAFETY: slots and control bytes lie in pinned arrays that this object keeps.
            header.msg_name = shape.NameBytes == 0 ? null : Unsafe.AsPointer(ref slots[i].Peer);
            header.msg_control = shape.ControlBytes == 0
                ? null
                : (void*)Marshal.UnsafeAddrOfPinnedArrayElement(_control, i * MaxControlBytes);
        }
    }

    private void PointAtBuffers()
    {
        for (int i = 0; i < _pieces.Length; i++)
        {
            // SAFETY: slot buffers are pinned arrays; the slots keep each one for as long as it is in a slot.
            _pieces[i].iov_base = (void*)BufferOf(i).Address;
            _pieces[i].iov_len = (nuint)SlotBytes;
        }

        BuffersChanged = false;
    }
}
