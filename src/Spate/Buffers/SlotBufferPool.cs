using System.Diagnostics;

namespace Spate.Buffers;

/// <summary>
/// The spare buffers of one batch (or ring, or channel handler): buffers that are in no slot at the moment. A buffer
/// comes into the pool when its last reference is released. The pool keeps at most <c>maxSpareCount</c> buffers, for a
/// batch the number of its slots; the garbage collector frees the others. Any thread may return a buffer, by one
/// exchange and without a lock. Only one thread at a time may take buffers out: the thread that uses the batch, ring or
/// handler.
/// </summary>
internal sealed class SlotBufferPool(int slotBytes, int maxSpareCount)
{
    // A call that rents moves the whole chain of _returned to _spare in one exchange. Taking a single buffer off
    // _returned would be unsafe: meanwhile the same buffer could be taken and returned, with other buffers after it
    // (ABA).
    private SlotBuffer? _returned;
    private SlotBuffer? _spare;
    private int _spareCount;

    /// <summary>
    /// Takes a buffer out of the pool, or makes a new buffer if the pool is empty. Only one thread at a time may call
    /// this; meanwhile any number of threads may call <see cref="Return"/>.
    /// </summary>
    public SlotBuffer Rent() => RentSpare() ?? new SlotBuffer(this, slotBytes);

    /// <summary>As <see cref="Rent"/>, but returns null instead of a new buffer if the pool is empty.</summary>
    public SlotBuffer? RentSpare()
    {
        SlotBuffer? buffer = _spare;
        if (buffer is null)
        {
            if (Volatile.Read(ref _returned) is null) return null;
            buffer = Interlocked.Exchange(ref _returned, null)!;
            _spareCount = buffer.ReturnedCount;
        }

        // If the chain is now empty, sets the count to 0, whatever the count was. The count may be inexact, because
        // renting and returning threads contribute to it at the same time (see Return). A count that stayed too high
        // would make Return discard every buffer.
        _spare = buffer.NextSpare;
        Volatile.Write(ref _spareCount, _spare is null ? 0 : _spareCount - 1);
        buffer.NextSpare = null;
        Debug.Assert(!buffer.IsShared, "Only the pool references a spare buffer.");
        return buffer;
    }

    public void Return(SlotBuffer buffer)
    {
        Debug.Assert(buffer.NextSpare is null && !buffer.IsShared, "The buffer is in the pool already, or in use.");
        SlotBuffer? first = Volatile.Read(ref _returned);
        while (true)
        {
            // The count is inexact if another thread takes and returns the first buffer at this moment. It only limits
            // how many buffers the pool keeps.
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
