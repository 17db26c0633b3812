using Spate.Segmentation;

namespace Spate.Buffers;

/// <summary>
/// The memory of a receive batch: slots, the pinned buffers in them, and the results of the last receive. A receiver
/// fills the slots and ends with <see cref="Complete"/>. The kernel may write to slots and buffers during a receive
/// call only. A buffer that a lease references is replaced before the kernel gets it again: by <see cref="Begin"/>, or
/// by <see cref="Exchange"/> if a ring's buffer takes its place. A slot may begin with a buffer that is smaller than
/// the slot, and grows (<see cref="Grow"/>) when a longer datagram comes.
/// </summary>
internal class ReceiveSlots
{
    private readonly ReceiveSlot[] _slots;
    private readonly SlotBuffer[] _buffers;
    private readonly SlotBufferPool _pool;
    private readonly SlotBufferPool _grownPool;
    private DatagramInfo[]? _info;
    private bool _anyShared;

    /// <param name="slotCount">The slots: the most buffers that one call fills.</param>
    /// <param name="slotBytes">The longest payload of a slot.</param>
    /// <param name="bufferBytes">
    /// The size of the buffers that slots begin with. Slots grow if it is less than <paramref name="slotBytes"/>.
    /// </param>
    public ReceiveSlots(int slotCount, int slotBytes, int bufferBytes)
    {
        SlotBytes = slotBytes;
        FirstBytes = Math.Min(bufferBytes, slotBytes);
        _pool = new SlotBufferPool(bufferBytes, slotCount);
        _grownPool = new SlotBufferPool(slotBytes, slotCount);
        _slots = GC.AllocateArray<ReceiveSlot>(slotCount, pinned: true);
        _buffers = new SlotBuffer[slotCount];
        for (int i = 0; i < slotCount; i++)
        {
            _slots[i].SlotIndex = i;
            _buffers[i] = _pool.Rent();
        }
    }

    /// <summary>Entered by the call that fills the slots, until <see cref="Leave"/>.</summary>
    public ExclusiveUse Use;

    public int SlotCount => _slots.Length;

    public int SlotBytes { get; }

    /// <summary>The longest payload that a slot takes before it grows.</summary>
    public int FirstBytes { get; }

    /// <summary>The datagrams of the last receive; those of a coalesced buffer count one by one.</summary>
    public int Count { get; private set; }

    /// <summary>The slots that the last receive filled.</summary>
    public int UsedCount { get; private set; }

    /// <summary>Payload bytes of all datagrams of the last receive.</summary>
    public long ByteCount { get; private set; }

    /// <summary>
    /// Whether the last receive returned datagrams that an earlier call had taken, and did not ask the system.
    /// </summary>
    public bool WasCopied { get; private set; }

    /// <summary>Whether the socket of the last receive asked for metadata.</summary>
    public bool HasInfo { get; set; }

    public Span<ReceiveSlot> All => _slots;

    public Span<ReceiveSlot> Used => _slots.AsSpan(0, UsedCount);

    public DatagramInfo[] InfoForWriting => _info ??= new DatagramInfo[_slots.Length];

    /// <summary>A slot has another buffer than before, so pointers that a subclass keeps are stale.</summary>
    public bool BuffersChanged { get; protected set; } = true;

    /// <summary>Peers were written by copying, so the slots are not as a subclass prepared them.</summary>
    public bool PeersChanged { get; protected set; } = true;

    public SlotBuffer BufferOf(int slotIndex) => _buffers[slotIndex];

    public byte[] ArrayOf(int slotIndex) => _buffers[slotIndex].Array;

    public ref readonly DatagramInfo InfoOf(int slotIndex)
    {
        if (HasInfo) return ref _info![slotIndex];
        return ref DatagramInfo.None;
    }

    /// <summary>Forgets the last receive; slots whose buffers are shared get other buffers.</summary>
    public void Begin()
    {
        Forget();
        if (_anyShared) ReplaceSharedBuffers();
    }

    /// <summary>Forgets the datagrams; the batch has none until the next <see cref="Complete"/>.</summary>
    public void Forget()
    {
        Count = 0;
        UsedCount = 0;
        ByteCount = 0;
    }

    /// <summary>
    /// The first <paramref name="usedCount"/> slots are filled. A segment size of 0 or less, or above the length, means
    /// one datagram.
    /// </summary>
    /// <param name="usedCount">The filled slots.</param>
    /// <param name="wasCopied">Whether <see cref="CopyInto"/> has filled them, so more may wait in the system.</param>
    public void Complete(int usedCount, bool wasCopied = false)
    {
        WasCopied = wasCopied;
        int count = 0;
        long bytes = 0;
        foreach (ref ReceiveSlot slot in _slots.AsSpan(0, usedCount))
        {
            slot.FirstIndex = count;
            bytes += slot.LengthBytes;
            if (slot.SegmentBytes <= 0 || slot.SegmentBytes >= slot.LengthBytes)
            {
                slot.SegmentBytes = slot.LengthBytes;
                count++;
            }
            else
            {
                count += GroSplitter.Count(slot.LengthBytes, slot.SegmentBytes);
            }
        }

        UsedCount = usedCount;
        Count = count;
        ByteCount = bytes;
    }

    /// <summary>Ends the use of the batch by the call that has it.</summary>
    public void Leave()
    {
        if (Use.Leave()) Forget();
    }

    /// <summary>Ends the batch, once the call that has it now has ended. Leases stay valid.</summary>
    public void Dispose()
    {
        if (Use.End()) Forget();
    }

    /// <summary>The slot of a datagram, and the position of its payload in the slot's buffer.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The batch has no such datagram.</exception>
    public ref ReceiveSlot Locate(int index, out int offsetBytes, out int lengthBytes)
    {
        if ((uint)index >= (uint)Count)
        {
            throw new ArgumentOutOfRangeException(nameof(index), index, $"The batch holds {Count} datagrams.");
        }

        // Without coalescing every slot holds one datagram, so the first guess is right.
        int low = 0, high = UsedCount - 1;
        if (index <= high && _slots[index].FirstIndex == index && Count == UsedCount) low = high = index;
        while (low < high)
        {
            int middle = (low + high + 1) >>> 1;
            if (_slots[middle].FirstIndex <= index) low = middle;
            else high = middle - 1;
        }

        ref ReceiveSlot slot = ref _slots[low];
        GroSplitter.Bounds(
            slot.LengthBytes, slot.SegmentBytes, index - slot.FirstIndex, out offsetBytes, out lengthBytes);
        offsetBytes += slot.OffsetBytes;
        return ref slot;
    }

    /// <summary>Whether a slot has to grow before it takes the longest payload.</summary>
    public bool IsSmall(int slotIndex) => _buffers[slotIndex].LengthBytes <= SlotBytes;

    /// <summary>Gives a small slot a buffer for any payload, and copies the payload's beginning to it.</summary>
    /// <returns>The rest of the new buffer.</returns>
    public Span<byte> Grow(int slotIndex, ReadOnlySpan<byte> beginning)
    {
        SlotBuffer small = _buffers[slotIndex];
        SlotBuffer grown = _grownPool.Rent();
        beginning.CopyTo(grown.Array);
        _buffers[slotIndex] = grown;
        small.Detach();
        BuffersChanged = true;
        return grown.Array.AsSpan(beginning.Length);
    }

    /// <summary>Copies a payload into a slot, which grows for it.</summary>
    public void Store(int slotIndex, ReadOnlySpan<byte> payload)
    {
        if (payload.Length > FirstBytes && IsSmall(slotIndex)) Grow(slotIndex, payload);
        else payload.CopyTo(_buffers[slotIndex].Array);
    }

    /// <summary>Fills a slot by copying; for datagrams that another batch has received.</summary>
    public void CopyInto(int slotIndex, ReadOnlySpan<byte> payload, in UdpEndPoint peer, bool truncated)
    {
        ref ReceiveSlot slot = ref _slots[slotIndex];
        Store(slotIndex, payload);
        slot.Peer = peer;
        slot.OffsetBytes = 0;
        slot.LengthBytes = payload.Length;
        slot.SegmentBytes = 0;
        slot.IsTruncated = truncated;
        PeersChanged = true;
    }

    /// <summary>
    /// Puts a buffer that a ring has filled into a slot, and gives the ring the slot's buffer in exchange. Nothing is
    /// copied, and the ring cannot run out of buffers however long batches are kept.
    /// </summary>
    /// <param name="slotIndex">The slot.</param>
    /// <param name="filled">The ring's buffer.</param>
    /// <param name="offsetBytes">Offset of the payload in the ring's buffer.</param>
    /// <param name="bufferBytes">The least buffer size that the ring needs.</param>
    /// <returns>The slot's previous buffer; null if that is too small for the ring, or shared.</returns>
    public SlotBuffer? Exchange(int slotIndex, SlotBuffer filled, int offsetBytes, int bufferBytes)
    {
        SlotBuffer own = _buffers[slotIndex];
        _buffers[slotIndex] = filled;
        _slots[slotIndex].OffsetBytes = offsetBytes;
        if (own.LengthBytes >= bufferBytes && !(_anyShared && own.IsShared)) return own;
        own.Detach();
        return null;
    }

    /// <summary>Notes that a buffer of the batch is referenced beyond the next receive.</summary>
    public void NoteShared() => _anyShared = true;

    /// <summary>Leases a slot's buffer, whose payload then stays valid past the next receive.</summary>
    public LeaseEntry Lease(int slotIndex, out int version)
    {
        _anyShared = true;
        return LeaseEntry.Rent(_buffers[slotIndex], out version);
    }

    private void ReplaceSharedBuffers()
    {
        for (int i = 0; i < _buffers.Length; i++)
        {
            SlotBuffer buffer = _buffers[i];
            if (!buffer.IsShared) continue;

            // A grown slot stays grown only if that costs no memory: leases of short payloads may keep buffers for
            // long.
            _buffers[i] = (IsSmall(i) ? null : _grownPool.RentSpare()) ?? _pool.Rent();
            buffer.Detach();
        }

        BuffersChanged = true;
        _anyShared = false;
    }
}
