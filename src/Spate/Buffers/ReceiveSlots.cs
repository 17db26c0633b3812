using System.Diagnostics;
using Spate.Segmentation;

namespace Spate.Buffers;

/// <summary>
/// The memory of a receive batch: the slots, the pinned buffer of each slot, and the results of the last receive. A
/// receiver fills the slots and then calls <see cref="Complete"/>. The kernel may write to slots and buffers only
/// during a receive call. A buffer that a lease or a send batch references is replaced before the kernel can write to
/// it again (<see cref="Begin"/>). A slot may start with a buffer that is smaller than the slot; <see cref="Grow"/>
/// replaces that buffer when a longer datagram arrives.
/// </summary>
internal class ReceiveSlots
{
    private readonly ReceiveSlot[] _slots;
    private readonly SlotBuffer[] _buffers;
    private readonly SlotBufferPool _pool;
    private readonly SlotBufferPool _grownPool;
    private DatagramInfo[]? _info;
    private bool _anyShared;

    /// <param name="slotCount">The number of slots: the most buffers that one call fills.</param>
    /// <param name="slotBytes">The longest payload that a slot can take.</param>
    /// <param name="bufferBytes">
    /// The size of the buffers that slots start with. If this size is less than <paramref name="slotBytes"/>, slots can
    /// grow.
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

    /// <summary>
    /// Lets only one call at a time use the batch. A call that fills the slots calls <see cref="ExclusiveUse.Enter"/>
    /// first, and <see cref="Leave"/> at its end.
    /// </summary>
    public ExclusiveUse Use;

    public int SlotCount => _slots.Length;

    public int SlotBytes { get; }

    /// <summary>The longest payload that fits into a slot before the slot grows.</summary>
    public int FirstBytes { get; }

    /// <summary>
    /// The number of datagrams of the last receive. The datagrams of a coalesced buffer count one by one.
    /// </summary>
    public int Count { get; private set; }

    /// <summary>The number of slots that the last receive filled.</summary>
    public int UsedCount { get; private set; }

    /// <summary>The number of payload bytes in all datagrams of the last receive.</summary>
    public long ByteCount { get; private set; }

    /// <summary>Whether the socket of the last receive asked for metadata.</summary>
    public bool HasInfo { get; set; }

    public Span<ReceiveSlot> All => _slots;

    public Span<ReceiveSlot> Used => _slots.AsSpan(0, UsedCount);

    public DatagramInfo[] InfoForWriting => _info ??= new DatagramInfo[_slots.Length];

    /// <summary>
    /// Whether a slot has another buffer than before, so that pointers which a subclass keeps are out of date.
    /// </summary>
    public bool BuffersChanged { get; protected set; } = true;

    public SlotBuffer BufferOf(int slotIndex) => _buffers[slotIndex];

    public byte[] ArrayOf(int slotIndex) => _buffers[slotIndex].Array;

    public ref readonly DatagramInfo InfoOf(int slotIndex)
    {
        if (HasInfo) return ref _info![slotIndex];
        return ref DatagramInfo.None;
    }

    /// <summary>
    /// Starts a receive: forgets the last receive, and gives other buffers to slots whose buffers are still referenced
    /// by leases or send batches.
    /// </summary>
    public void Begin()
    {
        Forget();
        if (_anyShared) ReplaceSharedBuffers();
    }

    /// <summary>
    /// Called when slots have got peers that their receiver did not write: the headers of a subclass are then out of
    /// date.
    /// </summary>
    public virtual void OnPeersReplaced()
    {
    }

    /// <summary>Forgets the datagrams: the batch is empty until the next <see cref="Complete"/>.</summary>
    public void Forget()
    {
        Count = 0;
        UsedCount = 0;
        ByteCount = 0;
    }

    /// <summary>
    /// Ends a receive that filled the first <paramref name="usedCount"/> slots, and counts their datagrams. A slot
    /// contains one datagram if its segment size is 0 or less, or is not below the slot's length.
    /// </summary>
    public void Complete(int usedCount)
    {
        int count = 0;
        long bytes = 0;
        foreach (ref ReceiveSlot slot in _slots.AsSpan(0, usedCount))
        {
            Debug.Assert(
                slot.LengthBytes >= 0 && slot.OffsetBytes + slot.LengthBytes <= _buffers[slot.SlotIndex].LengthBytes,
                "The payload is in the buffer of its slot.");
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

    /// <summary>
    /// Called at the end of each call that entered <see cref="Use"/>: from now on another call may use the batch.
    /// </summary>
    public void Leave()
    {
        if (Use.Leave()) Forget();
    }

    /// <summary>Disposes the batch. A call that is using the batch still runs to its end. Leases stay valid.</summary>
    public void Dispose()
    {
        if (Use.End()) Forget();
    }

    /// <summary>
    /// Finds the slot of a datagram, and the position of the datagram's payload in the slot's buffer.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The batch has no such datagram.</exception>
    public ref ReceiveSlot Locate(int index, out int offsetBytes, out int lengthBytes)
    {
        if ((uint)index >= (uint)Count)
        {
            throw new ArgumentOutOfRangeException(nameof(index), index, $"The batch holds {Count} datagrams.");
        }

        // If no buffer is coalesced, each slot contains one datagram, and the slot has the same index as the datagram.
        // Otherwise a binary search finds the slot.
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
        Debug.Assert(lengthBytes > 0 || slot.LengthBytes == 0, "The datagram is in the slot that was found.");
        offsetBytes += slot.OffsetBytes;
        return ref slot;
    }

    /// <summary>Whether a slot has to grow before it can take the longest payload.</summary>
    public bool IsSmall(int slotIndex) => _buffers[slotIndex].LengthBytes <= SlotBytes;

    /// <summary>
    /// Gives a small slot a buffer for the longest payload, and copies the beginning of a payload into the new buffer.
    /// </summary>
    /// <returns>The part of the new buffer after the copied bytes.</returns>
    public Span<byte> Grow(int slotIndex, ReadOnlySpan<byte> beginning)
    {
        Debug.Assert(IsSmall(slotIndex) && beginning.Length <= SlotBytes, "A slot grows once.");
        SlotBuffer grown = _grownPool.Rent();
        beginning.CopyTo(grown.Array);
        Replace(slotIndex, grown).Release();
        return grown.Array.AsSpan(beginning.Length);
    }

    /// <summary>Copies a payload into a slot; a small slot grows first if the payload does not fit.</summary>
    public void Store(int slotIndex, ReadOnlySpan<byte> payload)
    {
        if (payload.Length > FirstBytes && IsSmall(slotIndex)) Grow(slotIndex, payload);
        else payload.CopyTo(_buffers[slotIndex].Array);
    }

    /// <summary>
    /// Puts another buffer into a slot. The caller gets the previous one, which leases or send batches may still
    /// reference (<see cref="SlotBuffer.IsShared"/>).
    /// </summary>
    public SlotBuffer Replace(int slotIndex, SlotBuffer buffer)
    {
        Debug.Assert(!buffer.IsShared, "A receive may write into the buffers of its slots.");
        SlotBuffer previous = _buffers[slotIndex];
        _buffers[slotIndex] = buffer;
        BuffersChanged = true;
        return previous;
    }

    /// <summary>
    /// Notes that a buffer of the batch is referenced past the next receive, so that <see cref="Begin"/> replaces it.
    /// </summary>
    public void NoteShared() => _anyShared = true;

    /// <summary>Leases the buffer of a slot: the payload in the buffer stays valid past the next receive.</summary>
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

            // A grown slot gets a large buffer again only if the pool has a spare one. Leases of short payloads may
            // keep their buffers for a long time, so a new large buffer for each such lease would cost too much memory.
            _buffers[i] = (IsSmall(i) ? null : _grownPool.RentSpare()) ?? _pool.Rent();
            buffer.Release();
        }

        BuffersChanged = true;
        _anyShared = false;
    }
}
