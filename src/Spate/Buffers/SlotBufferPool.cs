namespace Spate.Buffers;

/// <summary>
/// The buffers of one batch that are in no slot at the moment. The pool is empty until something is leased, and holds
/// at most as many buffers as the batch has slots; the collector gets the rest. Any thread may return a buffer, by one
/// exchange and without a lock. Only the call that uses the batch takes buffers out.
/// </summary>
internal sealed class SlotBufferPool(int slotBytes, int maxSpareCount)
{
    // The call that takes moves all of _returned to _spare in one exchange. Taking one buffer off _returned alone would
    // be unsafe: the same buffer could be taken and returned meanwhile, with other buffers after it (ABA).
    private SlotBuffer? _returned;
    private SlotBuffer? _spare;
    private int _spareCount;

    /// <summary>One call at a time; meanwhile any threads may call <see cref="Return"/>.</summary>
    public SlotBuffer Rent() => RentSpare() ?? new SlotBuffer(this, slotBytes);

    /// <summary>The same, but null if no buffer has come back.</summary>
    public SlotBuffer? RentSpare()
    {
        SlotBuffer? buffer = _spare;
        if (buffer is null)
        {
            if (Volatile.Read(ref _returned) is null) return null;
            buffer = Interlocked.Exchange(ref _returned, null)!;
            _spareCount = buffer.ReturnedCount;
        }

        // Not by counting alone: two threads make the count, which may be inexact (see Return). A count that stayed too
        // high would make Return discard every buffer.
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
            // Inexact if the first buffer is taken and returned at this moment. The count only bounds the number of
            // kept buffers.
            int count = (first?.ReturnedCount ?? 0) + 1;
            if (count + Volatile.Read(ref _spareCount) > maxSpareCount) return;
            buffer.ReturnedCount = count;
            buffer.NextSpare = first;
            SlotBuffer? seen = Interlocked.CompareExchange(ref _returned, buffer, first);
            if (seen == first) return;
            first = seen;
        }
    }
}
