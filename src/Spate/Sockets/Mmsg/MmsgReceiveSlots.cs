using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Slots with the message headers that point at them. All arrays are pinned and live as long as the batch. The kernel
/// changes lengths and flags in the headers that it fills; the receiver resets them before every call. A slot that may
/// grow has a second iovec, into <see cref="SpillMemory"/>, for payload bytes that do not fit into its buffer.
/// </summary>
internal sealed unsafe class MmsgReceiveSlots : ReceiveSlots
{
    private const int MaxControlBytes = ControlMessages.MaxReceivedBytes;

    private readonly iovec[] _pieces;
    private readonly byte[] _control;
    private readonly SpillMemory? _spill;

    // iovecs per slot.
    private readonly int _pieceCount = 1;

    /// <param name="slotCount">The number of slots.</param>
    /// <param name="slotBytes">The longest payload of a slot.</param>
    /// <param name="spill">
    /// Memory for the ends of payloads that are longer than a slot's first buffer; null: slots do not grow.
    /// </param>
    public MmsgReceiveSlots(int slotCount, int slotBytes, SpillMemory? spill)
        : base(slotCount, slotBytes, slotBytes - (spill?.PieceBytes ?? 0))
    {
        _spill = spill;
        if (spill is not null) _pieceCount = 2;
        Messages = GC.AllocateArray<mmsghdr>(slotCount, pinned: true);
        _pieces = GC.AllocateArray<iovec>(slotCount * _pieceCount, pinned: true);
        _control = GC.AllocateArray<byte>(slotCount * MaxControlBytes, pinned: true);
        First = (mmsghdr*)Marshal.UnsafeAddrOfPinnedArrayElement(Messages, 0);
        for (int i = 0; i < slotCount; i++)
        {
            // SAFETY: the iovec is in a pinned array that this object keeps alive.
            Messages[i].msg_hdr.msg_iov = (iovec*)Marshal.UnsafeAddrOfPinnedArrayElement(_pieces, i * _pieceCount);
        }
    }

    /// <summary>The first header, as passed to the kernel; valid as long as this object is alive.</summary>
    public mmsghdr* First { get; }

    public mmsghdr[] Messages { get; }

    /// <summary>The number of headers, from the first, that the kernel has written to since they were reset.</summary>
    public int WrittenCount { get; set; }

    /// <summary>The layout that the headers have; null before the first receive.</summary>
    public HeaderLayout? Shape { get; private set; }

    /// <summary>Whether a payload has used the spill memory since <see cref="DiscardSpill"/>.</summary>
    public bool HasSpilled { get; private set; }

    /// <summary>Points the headers at the slots' buffers, and gives them the layout of a socket.</summary>
    public void Renew(HeaderLayout shape)
    {
        if (BuffersChanged) PointAtBuffers();
        if (Shape != shape || PeersChanged) TakeShape(shape);
    }

    /// <summary>
    /// Grows a slot whose payload did not fit into its small buffer, and joins the two parts of the payload.
    /// </summary>
    public void Gather(int slotIndex)
    {
        if (!IsSmall(slotIndex)) return;
        int spilledBytes = All[slotIndex].LengthBytes - FirstBytes;
        HasSpilled = true;
        Span<byte> rest = Grow(slotIndex, ArrayOf(slotIndex).AsSpan(0, FirstBytes));

        // SAFETY: the kernel has written this many bytes there, and the call has ended. This object keeps the mapping
        // alive.
        new ReadOnlySpan<byte>(_spill!.PieceOf(slotIndex), spilledBytes).CopyTo(rest);
    }

    /// <summary>Returns the memory with the ends of payloads to the system.</summary>
    public void DiscardSpill()
    {
        _spill!.Discard();
        HasSpilled = false;
    }

    public ReadOnlySpan<byte> ControlOf(int index) =>
        _control.AsSpan(
            index * MaxControlBytes, (int)Math.Min(MaxControlBytes, Messages[index].msg_hdr.msg_controllen));

    private void TakeShape(HeaderLayout shape)
    {
        Shape = shape;
        PeersChanged = false;
        WrittenCount = SlotCount;
        Span<ReceiveSlot> slots = All;
        for (int i = 0; i < slots.Length; i++)
        {
            // An IPv4 address is shorter and must not keep the tail of an IPv6 address. A connected socket's peer is
            // known in advance.
            slots[i].Peer = shape.Remote;
            ref msghdr header = ref Messages[i].msg_hdr;

            // SAFETY: slots and control bytes are in pinned arrays that this object keeps alive.
            header.msg_name = shape.NameBytes == 0 ? null : Unsafe.AsPointer(ref slots[i].Peer);
            header.msg_control = shape.ControlBytes == 0
                ? null
                : (void*)Marshal.UnsafeAddrOfPinnedArrayElement(_control, i * MaxControlBytes);
        }
    }

    private void PointAtBuffers()
    {
        for (int i = 0; i < SlotCount; i++)
        {
            // SAFETY: slot buffers are pinned arrays. The slots keep each buffer alive as long as it is in a slot. This
            // object keeps the mapping as long as it lives.
            bool isSmall = IsSmall(i);
            Messages[i].msg_hdr.msg_iovlen = isSmall ? 2u : 1u;
            ref iovec first = ref _pieces[i * _pieceCount];
            first.iov_base = (void*)BufferOf(i).Address;
            first.iov_len = (nuint)(isSmall ? FirstBytes : SlotBytes);
            if (!isSmall) continue;
            ref iovec second = ref _pieces[(i * _pieceCount) + 1];
            second.iov_base = _spill!.PieceOf(i);
            second.iov_len = (nuint)_spill.PieceBytes;
        }

        BuffersChanged = false;
    }
}
