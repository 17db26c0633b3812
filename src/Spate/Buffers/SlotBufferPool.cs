namespace Spate.Buffers;

/// <summary>
/// The buffers of one batch that are in no slot at the moment. The pool is empty until something is leased, and holds
/// at most as many buffers as the batch has slots; the collector gets the rest. Any thread may return a buffer, by one
/// exchange and without a lock. Only the call that uses the batch takes buffers out.
/// </summary>
internal sealed class SlotBufferPool(int slotBytes, int maxSpareCount)
{
    // The call that takes moves all of _returned to _spare in one exchange. Taking one buffer off _returned alone would
    // be unsafe: the same buffer could be taken and returned meanwhile, with others behind it (ABA).
    private SlotBuffer? _returned;
    private SlotBuffer? _spare;
    private int _spareCount;

    /// <summary>One call at a time, with <see cref="Return"/>s of any threads beside it.</summary>
    public SlotBuffer Rent() => RentSpare() ?? new SlotBuffer(this, slotBytes);

    /// <summary>The same, but null where none has come back.</summary>
    public SlotBuffer? RentSpare()
    {
        SlotBuffer? buffer = _spare;
        if (buffer is null)
        {
            if (Volatile.Read(ref _returned) is null) return null;
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
            if (count + Volatile.Read(ref _spareCount) > maxSpareCount) return;
            buffer.ReturnedCount = count;
            buffer.NextSpare = first;
            SlotBuffer? seen = Interlocked.CompareExchange(ref _returned, buffer, first);
            if (seen == first) return;
            first = seen;
        }
    }
}
