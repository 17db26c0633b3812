using Spate.Backends.Readiness;
using Spate.Batching;
using Spate.Buffers;

namespace Spate;

/// <summary>The side of a batch that backends see: they fill slots and say how many.</summary>
public sealed partial class ReceiveBatch
{
    /// <summary>Held by the call that fills the batch.</summary>
    internal UseFlag Use;

    internal UdpBackend Backend { get; }

    /// <summary>What the backend keeps with the batch (message headers); made at its first use.</summary>
    internal object? BackendState { get; set; }

    /// <summary>What a poller keeps with the batch of one of its threads; made at its first use.</summary>
    internal PollSeat? PollSeat { get; set; }

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

    internal SlotBuffer BufferOf(int slotIndex) => _buffers[slotIndex];

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
    }

    private void ReplaceHeldBuffers()
    {
        for (int i = 0; i < _buffers.Length; i++)
        {
            SlotBuffer buffer = _buffers[i];
            if (!buffer.IsHeld) continue;
            _buffers[i] = _pool.Rent();
            buffer.Detach();
        }

        BufferVersion++;
        _anyHeld = false;
    }
}
