using Spate.Gateway.Format;

namespace Spate.Gateway.Reading;

/// <summary>
/// A set of sequence numbers, kept as disjoint intervals in order. Bounded: an interval too many closes the lowest gap,
/// and the numbers in it are counted as forgotten. They are members of the set from then on. One thread at a time.
/// </summary>
/// <param name="budget">What all sets share.</param>
/// <param name="maxCount">The most intervals of this set, at least <see cref="OwnCount"/>.</param>
internal sealed class IntervalSet(IntervalBudget budget, int maxCount = IntervalSet.MaxCount)
{
    /// <summary>
    /// The most intervals of a set: 128 KiB, which an insertion moves. A gateway has one, beside those between the
    /// ranges that its next accounting message names.
    /// </summary>
    public const int MaxCount = 2 * FormatLimits.MaxRanges;

    /// <summary>
    /// Intervals that every set can have, whatever the others have taken, so that there is a gap to close.
    /// </summary>
    public const int OwnCount = 2;

    private readonly List<Interval> _intervals = [];

    /// <summary>The intervals that are kept.</summary>
    public int IntervalCount => _intervals.Count;

    /// <summary>Numbers that became members because there was no room for the gap that they were in.</summary>
    public ulong Forgotten { get; private set; }

    /// <summary>Adds numbers. Returns how many of them were no members before.</summary>
    /// <param name="first">The first number.</param>
    /// <param name="count">How many; the last one is below 2^64 - 1.</param>
    public ulong Add(ulong first, ulong count)
    {
        if (count == 0) return 0;
        ulong end = first + count;
        int low = FirstTouching(first);
        ulong known = 0;
        ulong joinedFirst = first;
        ulong joinedEnd = end;
        int high = low;
        for (; high < _intervals.Count && _intervals[high].First <= end; high++)
        {
            Interval interval = _intervals[high];
            known += Overlap(interval, first, end);
            joinedFirst = Math.Min(joinedFirst, interval.First);
            joinedEnd = Math.Max(joinedEnd, interval.End);
        }

        if (high > low)
        {
            _intervals[low] = new Interval(joinedFirst, joinedEnd);
            Remove(low + 1, high - low - 1);
            return count - known;
        }

        if (HasRoom())
        {
            _intervals.Insert(low, new Interval(first, end));
            return count;
        }

        // Again from the start: the new numbers may lie in the gap that was closed, or beside it.
        CloseLowestGap();
        return Add(first, count);
    }

    /// <summary>Whether a number is a member.</summary>
    public bool Contains(ulong number) => CountIn(number, number + 1) == 1;

    /// <summary>How many numbers from <paramref name="first"/> up to, but without, an end are members.</summary>
    public ulong CountIn(ulong first, ulong end)
    {
        ulong count = 0;
        for (int i = FirstTouching(first); i < _intervals.Count && _intervals[i].First < end; i++)
        {
            count += Overlap(_intervals[i], first, end);
        }

        return count;
    }

    /// <summary>The gaps from <paramref name="first"/> up to, without, <paramref name="end"/>, in order.</summary>
    public IEnumerable<(ulong First, ulong Count)> Gaps(ulong first, ulong end) =>
        Parts(first, end).Where(static part => !part.IsMember).Select(static part => (part.First, part.Count));

    /// <summary>The members and the gaps from a number up to, without, an end, in order.</summary>
    public IEnumerable<(ulong First, ulong Count, bool IsMember)> Parts(ulong first, ulong end)
    {
        ulong at = first;
        for (int i = FirstTouching(first); i < _intervals.Count && _intervals[i].First < end; i++)
        {
            Interval interval = _intervals[i];
            if (interval.First > at) yield return (at, interval.First - at, false);
            at = Math.Max(at, interval.First);
            ulong high = Math.Min(interval.End, end);
            if (high > at) yield return (at, high - at, true);
            at = Math.Max(at, high);
        }

        if (at < end) yield return (at, end - at, false);
    }

    private static ulong Overlap(Interval interval, ulong first, ulong end)
    {
        ulong low = Math.Max(interval.First, first);
        ulong high = Math.Min(interval.End, end);
        return high > low ? high - low : 0;
    }

    /// <summary>The index of the first interval that ends at the number or above it.</summary>
    private int FirstTouching(ulong number)
    {
        // Nearly everything is added at the end.
        int high = _intervals.Count;
        if (high > 0 && number > _intervals[high - 1].End) return high;
        int low = high > 0 && number >= _intervals[high - 1].First ? high - 1 : 0;
        while (low < high)
        {
            int middle = low + ((high - low) / 2);
            if (_intervals[middle].End < number) low = middle + 1;
            else high = middle;
        }

        return low;
    }

    private bool HasRoom() =>
        _intervals.Count < OwnCount || (_intervals.Count < maxCount && budget.TryTake());

    private void CloseLowestGap()
    {
        Forgotten += _intervals[1].First - _intervals[0].End;
        _intervals[0] = new Interval(_intervals[0].First, _intervals[1].End);
        Remove(1, 1);
    }

    private void Remove(int index, int count)
    {
        int taken = Math.Max(0, _intervals.Count - OwnCount);
        _intervals.RemoveRange(index, count);
        budget.GiveBack(taken - Math.Max(0, _intervals.Count - OwnCount));
    }

    private readonly record struct Interval(ulong First, ulong End);
}

/// <summary>The dropped ranges of a key as they were stated, joined where they continue. Bounded.</summary>
internal sealed class GapList(IntervalBudget budget)
{
    /// <summary>The most ranges of a key; further ones are counted only.</summary>
    public const int MaxCount = 1000;

    private readonly List<GatewayFinding> _gaps = [];

    public IReadOnlyList<GatewayFinding> Gaps => _gaps;

    /// <summary>Ranges that were too many.</summary>
    public long Omitted { get; private set; }

    public void Add(ulong first, ulong count, GatewayDropReason reason)
    {
        if (_gaps.Count > 0 && _gaps[^1] is var last && last.Reason == reason && last.First + last.Count == (long)first)
        {
            _gaps[^1] = last with { Count = last.Count + (long)count };
        }
        else if (_gaps.Count < MaxCount && budget.TryTake())
        {
            _gaps.Add(new GatewayFinding
            {
                Kind = GatewayFindingKind.Dropped,
                First = (long)first,
                Count = (long)count,
                Reason = reason,
            });
        }
        else
        {
            Omitted++;
        }
    }
}

/// <summary>How many entries all keys of a reader may keep together. One thread at a time.</summary>
internal sealed class IntervalBudget(int count)
{
    /// <summary>Entries that can still be taken.</summary>
    public int Left { get; private set; } = count;

    /// <summary>Takes an entry; false if there is none left.</summary>
    public bool TryTake()
    {
        if (Left == 0) return false;
        Left--;
        return true;
    }

    public void GiveBack(int count) => Left += count;
}
