using Spate.Buffers;
using Spate.Trains;
using Spate.Waiting;

namespace Spate;

/// <summary>The side of a batch that backends see: they fill slots and say how many.</summary>
public sealed partial class ReceiveBatch
{
    /// <summary>Held by the call that fills the batch.</summary>
    internal UseFlag Use;

    /// <summary>Whether a server or a poller lends it to handlers, which must not dispose it.</summary>
    internal bool IsLent { get; set; }

    internal UdpBackend Backend { get; }

    /// <summary>What the backend keeps with the batch (message headers); made at its first use.</summary>
    internal object? BackendState { get; set; }

    /// <summary>What a poller keeps with the batch of one of its threads; made at its first use.</summary>
    internal PollThread? PollThread { get; set; }

    internal int UsedSlotCount => _usedSlotCount;

    /// <summary>
    /// Grows by one whenever a slot got another buffer, so that a backend knows that its pointers are stale.
    /// </summary>
    internal int BufferVersion { get; private set; }

    /// <summary>
    /// Grows by one whenever peers were written by other means than a backend's call, so that a backend knows that the
    /// slots are not as it prepared them.
    /// </summary>
    internal int PeerVersion { get; private set; }

    internal Span<ReceiveSlot> Slots => _slots;

    internal DatagramInfo[] InfoForWriting => _info ??= new DatagramInfo[_slots.Length];

    /// <summary>Whether the socket of the last receive asked for metadata.</summary>
    internal bool HasInfo { get; set; }

    /// <summary>Null in a slot of a ring's batch that nothing was received into yet.</summary>
    internal SlotBuffer BufferOf(int slotIndex) => _buffers[slotIndex];

    /// <summary>A buffer of the batch's own, for copying into it.</summary>
    internal SlotBuffer OwnBufferOf(int slotIndex)
    {
        _slots[slotIndex].OffsetBytes = 0;
        return _buffers[slotIndex] ??= _pool.Rent();
    }

    /// <summary>
    /// Puts a buffer that a ring has filled into a slot, and gives the ring the slot's own for it: memory changes
    /// places, so none is copied and none can run out, however long batches are kept.
    /// </summary>
    /// <param name="slotIndex">The slot.</param>
    /// <param name="filled">The ring's buffer.</param>
    /// <param name="offsetBytes">Where the payload begins in it.</param>
    /// <param name="bufferBytes">What the ring needs of a buffer.</param>
    /// <returns>Null if the slot had none, or none that is large enough.</returns>
    internal SlotBuffer? Exchange(int slotIndex, SlotBuffer filled, int offsetBytes, int bufferBytes)
    {
        SlotBuffer? own = _buffers[slotIndex];
        _buffers[slotIndex] = filled;
        _slots[slotIndex].OffsetBytes = offsetBytes;
        if (own is null || own.LengthBytes >= bufferBytes) return own;
        own.Detach();
        return null;
    }

    internal ref readonly DatagramInfo InfoOf(int slotIndex)
    {
        if (HasInfo) return ref _info![slotIndex];
        return ref DatagramInfo.None;
    }

    internal void NoteHeld() => _anyHeld = true;

    internal void NotePeersWritten() => PeerVersion++;

    /// <summary>Forgets the last receive; slots whose buffers are held get other ones.</summary>
    internal void BeginFill()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        Count = 0;
        _usedSlotCount = 0;
        if (_anyHeld) ReplaceHeldBuffers();
    }

    /// <summary>
    /// The first <paramref name="usedSlotCount"/> slots are filled. A segment size of 0 or less, or above the length,
    /// means one datagram.
    /// </summary>
    internal void EndFill(int usedSlotCount, out long bytes)
    {
        int count = 0;
        bytes = 0;
        foreach (ref ReceiveSlot slot in _slots.AsSpan(0, usedSlotCount))
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
                count += SegmentCutter.Count(slot.LengthBytes, slot.SegmentBytes);
            }
        }

        _usedSlotCount = usedSlotCount;
        Count = count;
        ByteCount = bytes;
    }

    private void ReplaceHeldBuffers()
    {
        for (int i = 0; i < _buffers.Length; i++)
        {
            SlotBuffer? buffer = _buffers[i];
            if (buffer is not { IsHeld: true }) continue;
            _buffers[i] = Backend == UdpBackend.Uring ? null! : _pool.Rent();
            buffer.Detach();
        }

        BufferVersion++;
        _anyHeld = false;
    }
}
