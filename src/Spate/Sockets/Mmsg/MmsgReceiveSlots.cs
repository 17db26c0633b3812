using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Receive slots, and the message headers that point to them. All arrays are pinned and live as long as the batch. The
/// kernel changes lengths and flags in the headers that it fills; the receiver resets them before every call. A slot
/// that may grow has a second iovec. This points into <see cref="SpillMemory"/>, for payload bytes that do not fit into
/// the slot's buffer.
/// </summary>
internal sealed unsafe class MmsgReceiveSlots : ReceiveSlots
{
    private const int MaxControlBytes = ControlMessages.MaxReceivedBytes;

    private readonly iovec[] _pieces;
    private readonly byte[] _control;
    private readonly SpillMemory? _spill;

    // The number of iovecs per slot.
    private readonly int _pieceCount = 1;

    /// <param name="slotCount">The number of slots.</param>
    /// <param name="slotBytes">The longest payload of a slot.</param>
    /// <param name="spill">
    /// Memory for the ends of payloads that are longer than a slot's first buffer; null if slots do not grow.
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

    /// <summary>A pointer to the first header, for the kernel; valid as long as this object is alive.</summary>
    public mmsghdr* First { get; }

    public mmsghdr[] Messages { get; }

    /// <summary>
    /// The number of headers, counted from the first, that the next call must reset: the kernel has written to them, or
    /// their layout is new.
    /// </summary>
    public int WrittenCount { get; set; }

    /// <summary>The current layout of the headers; null before the first receive.</summary>
    public HeaderLayout? Layout { get; private set; }

    /// <summary>Whether a payload has used the spill memory since the last <see cref="DiscardSpill"/>.</summary>
    public bool HasSpilled { get; private set; }

    /// <summary>
    /// Points the headers to the slots' buffers, and gives them the layout of the current socket. Called when either
    /// has changed.
    /// </summary>
    public void Renew(HeaderLayout layout)
    {
        if (BuffersChanged) PointAtBuffers();
        if (Layout != layout) TakeLayout(layout);
    }

    /// <inheritdoc/>
    public override void OnPeersReplaced() => Layout = null;

    private void TakeLayout(HeaderLayout layout)
    {
        Layout = layout;
        WrittenCount = SlotCount;
        Span<ReceiveSlot> slots = All;
        for (int i = 0; i < slots.Length; i++)
        {
            // Overwrites the address of an earlier receive: an IPv4 address is shorter, so the tail of an IPv6 address
            // would remain. The peer of a connected socket is known in advance.
            slots[i].Peer = layout.Remote;
            ref msghdr header = ref Messages[i].msg_hdr;

            // SAFETY: slots and control bytes are in pinned arrays that this object keeps alive.
            header.msg_name = layout.NameBytes == 0 ? null : Unsafe.AsPointer(ref slots[i].Peer);
            header.msg_control = layout.ControlBytes == 0
                ? null
                : (void*)Marshal.UnsafeAddrOfPinnedArrayElement(_control, i * MaxControlBytes);
        }
    }

    /// <summary>
    /// Grows a slot whose payload did not fit into its small buffer, and joins the two parts of the payload.
    /// </summary>
    public void Gather(int slotIndex)
    {
        if (!IsSmall(slotIndex)) return;
        int spilledBytes = All[slotIndex].LengthBytes - FirstBytes;
        Debug.Assert(spilledBytes > 0 && spilledBytes <= _spill!.PieceBytes);
        HasSpilled = true;
        Span<byte> rest = Grow(slotIndex, ArrayOf(slotIndex).AsSpan(0, FirstBytes));

        // SAFETY: the kernel has written this many bytes to the spill memory, and the call has ended. This object keeps
        // the spill memory alive.
        new ReadOnlySpan<byte>(_spill!.PieceOf(slotIndex), spilledBytes).CopyTo(rest);
    }

    /// <summary>Returns the spill memory to the system.</summary>
    public void DiscardSpill()
    {
        _spill!.Discard();
        HasSpilled = false;
    }

    public ReadOnlySpan<byte> ControlOf(int index) =>
        _control.AsSpan(
            index * MaxControlBytes, (int)Math.Min(MaxControlBytes, Messages[index].msg_hdr.msg_controllen));

    private void PointAtBuffers()
    {
        for (int i = 0; i < SlotCount; i++)
        {
            // SAFETY: slot buffers are pinned arrays. The slots keep each buffer alive as long as the buffer is in a
            // slot. The spill memory stays alive as long as this object.
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
