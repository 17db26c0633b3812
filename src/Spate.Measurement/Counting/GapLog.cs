namespace Spate.Measurement.Counting;

/// <summary>
/// Remembers when the newest gaps in the sequences of a stream opened, which tells the reordering extent of a datagram
/// that fills one. Bounded: a gap that is added to a full log takes the place of the oldest.
/// </summary>
internal sealed class GapLog
{
    private readonly (long Sequence, long Arrival)[] _gaps;
    private readonly int _mask;
    private long _count;

    public GapLog(int capacity)
    {
        _gaps = new (long, long)[capacity];
        _mask = capacity - 1;
    }

    /// <summary>Adds a gap above all others, with the number of the arrival that opened it.</summary>
    public void Add(long sequence, long arrival) => _gaps[(int)_count++ & _mask] = (sequence, arrival);

    /// <summary>Finds the arrival that opened the gap in which a sequence lies; false if forgotten.</summary>
    public bool TryFind(long sequence, out long arrival)
    {
        // The last gap that begins at the sequence or below: those before `low` do, those from `high` on do not.
        long low = Math.Max(0, _count - _gaps.Length);
        long oldest = low;
        long high = _count;
        while (low < high)
        {
            long middle = low + ((high - low) / 2);
            if (_gaps[(int)middle & _mask].Sequence <= sequence) low = middle + 1;
            else high = middle;
        }

        bool isKnown = low > oldest;
        arrival = isKnown ? _gaps[(int)(low - 1) & _mask].Arrival : 0;
        return isKnown;
    }

    public void Clear() => _count = 0;
}
