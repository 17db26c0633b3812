namespace Spate.Buffers;

/// <summary>
/// The buffers of one batch that are not in a slot at the moment. Empty until something is leased; holds at most as
/// many as there are slots, the rest is left to the collector. Any thread gives back, by one exchange and without a
/// lock; whoever has the batch takes, one call at a time.
/// </summary>
internal sealed class SlotBufferPool(int slotBytes, int spareCountMax)
{
    // The taker empties the first into the second at one stroke. A buffer is never taken from the first alone: it
    // could come back meanwhile, with others behind it.
    private SlotBuffer? _returned;
    private SlotBuffer? _spare;
    private int _spareCount;

    /// <summary>One call at a time, with <see cref="Return"/>s of any threads beside it.</summary>
    public SlotBuffer Rent()
    {
        SlotBuffer? buffer = _spare;
        if (buffer is null)
        {
            if (Volatile.Read(ref _returned) is null) return new SlotBuffer(this, slotBytes);
            buffer = Interlocked.Exchange(ref _returned, null)!;
            _spareCount = buffer.ReturnedCount;
        }

        // Not by counting alone, since the count is what two threads made of it: one that stayed too high would have
        // all that comes back thrown away.
        _spare = buffer.NextSpare;
        Volatile.Write(ref _spareCount, _spare is null ? 0 : _spareCount - 1);
        buffer.NextSpare = null;
        return buffer;
    }

    public void Return(SlotBuffer buffer)
    {
        SlotBuffer? first = Volatile.Read(ref _returned);
        while (true)
        {
            // Not exact where the first is taken and comes back just now; it only bounds what is kept.
            int count = (first?.ReturnedCount ?? 0) + 1;
            if (count + Volatile.Read(ref _spareCount) > spareCountMax) return;
            buffer.ReturnedCount = count;
            buffer.NextSpare = first;
            SlotBuffer? seen = Interlocked.CompareExchange(ref _returned, buffer, first);
            if (seen == first) return;
            first = seen;
        }
    }
}
