namespace Spate.Buffers;

/// <summary>
/// The buffers of one batch that are not in a slot at the moment. Empty until something is leased; holds at most as
/// many as there are slots, the rest is left to the collector. Locked: only leases come here, never a plain receive.
/// </summary>
internal sealed class SlotBufferPool(int slotBytes, int spareCountMax)
{
    private readonly Lock _lock = new();
    private readonly Stack<SlotBuffer> _spare = new();

    public SlotBuffer Rent()
    {
        lock (_lock)
        {
            if (_spare.TryPop(out SlotBuffer? buffer)) return buffer;
        }

        return new SlotBuffer(this, slotBytes);
    }

    public void Return(SlotBuffer buffer)
    {
        lock (_lock)
        {
            if (_spare.Count < spareCountMax) _spare.Push(buffer);
        }
    }
}
