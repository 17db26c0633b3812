using System.Numerics;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Counting;

/// <summary>How loss and reordering were spread over the datagrams. All lengths are counts of datagrams.</summary>
internal sealed class SequenceLengths
{
    /// <summary>Sequences that are all lost and follow each other (RFC 3357, 5.3, loss periods).</summary>
    public LengthHistogram LossBursts { get; } = new();

    /// <summary>Sequences that all arrived, between two bursts. RFC 3357, 5.4, counts one more.</summary>
    public LengthHistogram LossGaps { get; } = new();

    /// <summary>
    /// Reordering extents (RFC 4737, 4.2.2) of the datagrams that <see cref="SequenceCounts.Reordered"/> counts: how
    /// many first copies arrived from the first one with a higher sequence to the one before this datagram.
    /// </summary>
    public LengthHistogram ReorderExtents { get; } = new();

    /// <summary>
    /// Reordered datagrams without an extent: more than <see cref="SequenceTracker.MaxKnownGaps"/> gaps opened since
    /// they were missing. All other extents are exact.
    /// </summary>
    public long UnknownExtents { get; internal set; }

    internal void Add(SequenceLengths other)
    {
        LossBursts.Add(other.LossBursts);
        LossGaps.Add(other.LossGaps);
        ReorderExtents.Add(other.ReorderExtents);
        UnknownExtents += other.UnknownExtents;
    }

    internal void Clear()
    {
        LossBursts.Clear();
        LossGaps.Clear();
        ReorderExtents.Clear();
        UnknownExtents = 0;
    }
}

/// <summary>Lengths, counted by powers of two. Number, sum and longest are exact. Not thread-safe.</summary>
internal sealed class LengthHistogram
{
    // One for each power of two up to 2^62: no length is longer than the largest sequence.
    private readonly long[] _counts = new long[63];
    private Int128 _sum;

    public long Count { get; private set; }

    /// <summary>The sum of the lengths, at most <see cref="long.MaxValue"/>.</summary>
    public long Sum => (long)Int128.Min(_sum, long.MaxValue);

    public long Max { get; private set; }

    public double Mean => Statistics.Ratio((double)_sum, Count);

    /// <summary>The number of lengths from 2^i to 2^(i+1) - 1, up to the longest; empty where there is none.</summary>
    public ReadOnlySpan<long> CountsByPowerOfTwo =>
        _counts.AsSpan(0, Count == 0 ? 0 : BitOperations.Log2((ulong)Max) + 1);

    internal void Add(long length)
    {
        _counts[BitOperations.Log2((ulong)length)]++;
        Count++;
        _sum += length;
        Max = Math.Max(Max, length);
    }

    internal void Add(LengthHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++) _counts[i] += other._counts[i];
        Count += other.Count;
        _sum += other._sum;
        Max = Math.Max(Max, other.Max);
    }

    internal void Clear()
    {
        Array.Clear(_counts);
        Count = Max = 0;
        _sum = 0;
    }
}

/// <summary>Lengths that were counted, such as those of loss bursts. All are numbers of datagrams.</summary>
internal sealed record LengthReport
{
    public long Count { get; set; }

    public double Mean { get; set; }

    public long Max { get; set; }

    /// <summary>The number of lengths of 1, of 2 to 3, of 4 to 7 and so on, up to the longest.</summary>
    public long[] CountsByPowerOfTwo { get; set; } = [];

    public override string ToString() => RecordText.Of(
        nameof(LengthReport), PrintMembers, (nameof(CountsByPowerOfTwo), CountsByPowerOfTwo));

    internal static LengthReport From(LengthHistogram lengths) => new()
    {
        Count = lengths.Count,
        Mean = lengths.Mean,
        Max = lengths.Max,
        CountsByPowerOfTwo = lengths.CountsByPowerOfTwo.ToArray(),
    };
}

/// <summary>
/// Counts the lengths of loss bursts and gaps of one stream. It is told of every sequence once and in order, when its
/// fate is final.
/// </summary>
internal sealed class LossCounter
{
    private const int BitsPerWord = 64;

    private readonly LengthHistogram _bursts;
    private readonly LengthHistogram _gaps;

    // At most one of the two is open, which means above 0.
    private long _burst;
    private long _gap;

    public LossCounter(SequenceLengths lengths) => (_bursts, _gaps) = (lengths.LossBursts, lengths.LossGaps);

    /// <summary>A counter that goes on where another one is, and leaves that one as it is.</summary>
    public LossCounter(SequenceLengths lengths, LossCounter other)
        : this(lengths) => (_burst, _gap) = (other._burst, other._gap);

    /// <summary>Takes the next sequences: a bit for each, the lowest first, which is set if it arrived.</summary>
    public void Add(ulong arrived, int count)
    {
        if (arrived == ulong.MaxValue && _burst == 0 && count == BitsPerWord)
        {
            _gap += count;
            return;
        }

        while (count > 0)
        {
            bool hasArrived = (arrived & 1) != 0;
            int alike = Math.Min(count, BitOperations.TrailingZeroCount(hasArrived ? ~arrived : arrived));
            if (hasArrived) AddArrived(alike);
            else AddLost(alike);
            arrived = alike == BitsPerWord ? 0 : arrived >> alike;
            count -= alike;
        }
    }

    public void AddLost(long count)
    {
        if (count == 0) return;
        if (_gap > 0 && _bursts.Count > 0) _gaps.Add(_gap);
        _gap = 0;
        _burst += count;
    }

    /// <summary>The gap that is open lies behind the last burst and does not count.</summary>
    public void End()
    {
        if (_burst > 0) _bursts.Add(_burst);
        _burst = 0;
    }

    public void Clear() => _burst = _gap = 0;

    private void AddArrived(long count)
    {
        End();
        _gap += count;
    }
}

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
