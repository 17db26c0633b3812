using System.Numerics;

namespace Spate.Measurement.Counting;

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
