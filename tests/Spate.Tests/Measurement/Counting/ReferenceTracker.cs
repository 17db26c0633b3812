using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

/// <summary>
/// What <see cref="SequenceTracker"/> must count, by the definitions alone: it keeps every arrival and searches them.
/// </summary>
internal sealed class ReferenceTracker(int window)
{
    private readonly HashSet<long> _unique = [];
    private readonly List<long> _highest = []; // the highest sequence after each first copy
    private readonly List<long> _extents = [];
    private long? _first;
    private long _received;
    private long _duplicated;
    private long _late;
    private long _announced;

    /// <summary>One more than the highest sequence that arrived.</summary>
    public long End { get; private set; }

    public SequenceCounts Counts => new()
    {
        Received = _received,
        Unique = _unique.Count,
        Lost = Fates().LongCount(static hasArrived => !hasArrived),
        Duplicated = _duplicated,
        Reordered = _extents.Count,
        Late = _late,
        MissedBeforeFirst = First,
    };

    private long First =>
        Math.Min(_first ?? long.MaxValue, _unique.Count == 0 ? _first ?? 0 : _unique.Min());

    public void Begin(long first) => _first = first;

    public void Announce(long total) => _announced = Math.Max(_announced, total);

    /// <summary>Takes a datagram, and tells whether it is a first copy within the window.</summary>
    public bool Add(long sequence)
    {
        _received++;
        if (_unique.Count > 0 && sequence <= End - 1 - window)
        {
            _late++;
            return false;
        }

        if (!_unique.Add(sequence))
        {
            _duplicated++;
            return false;
        }

        // RFC 4737, 4.2.2: the extent is i - j for the smallest j with s[j] > s[i]. No sequence was there before.
        int higher = ~_highest.BinarySearch(sequence);
        if (sequence < End) _extents.Add(_highest.Count - higher);
        End = Math.Max(End, sequence + 1);
        _highest.Add(End - 1);
        return true;
    }

    public void AssertEqual(SequenceLengths lengths)
    {
        (List<long> bursts, List<long> gaps) = BurstsAndGaps();
        Assert.Equal(TextOf(bursts), TextOf(lengths.LossBursts));
        Assert.Equal(TextOf(gaps), TextOf(lengths.LossGaps));
        Assert.Equal(TextOf(_extents), TextOf(lengths.ReorderExtents));
        Assert.Equal(0, lengths.UnknownExtents);
        Assert.Equal(Counts.Lost, lengths.LossBursts.Sum);
    }

    public static string TextOf(IReadOnlyCollection<long> lengths)
    {
        long max = lengths.Count == 0 ? 0 : lengths.Max();
        var counts = new List<long>();
        for (long least = 1; least <= max; least *= 2)
        {
            counts.Add(lengths.LongCount(length => length >= least && length < 2 * least));
        }

        return $"{lengths.Count} sum {lengths.Sum()} max {max}: {string.Join(',', counts)}";
    }

    public static string TextOf(LengthHistogram lengths) => $"{lengths.Count} sum {lengths.Sum} max {lengths.Max}: "
        + string.Join(',', lengths.CountsByPowerOfTwo.ToArray());

    /// <summary>Whether each sequence from the first to the end of the stream arrived.</summary>
    private IEnumerable<bool> Fates()
    {
        long end = Math.Max(_unique.Count == 0 ? _first ?? 0 : End, _announced);
        for (long sequence = First; sequence < end; sequence++) yield return _unique.Contains(sequence);
    }

    private (List<long> Bursts, List<long> Gaps) BurstsAndGaps()
    {
        List<long> bursts = [];
        List<long> gaps = [];
        long burst = 0;
        long gap = 0;
        foreach (bool hasArrived in Fates())
        {
            if (!hasArrived && burst == 0 && bursts.Count > 0) gaps.Add(gap);
            if (hasArrived && burst > 0) bursts.Add(burst);
            gap = !hasArrived ? 0 : burst > 0 ? 1 : gap + 1;
            burst = hasArrived ? 0 : burst + 1;
        }

        if (burst > 0) bursts.Add(burst);
        return (bursts, gaps);
    }
}
