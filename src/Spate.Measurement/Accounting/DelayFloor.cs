namespace Spate.Measurement.Accounting;

/// <summary>
/// The fastest delay of a stream: the line below all its delays, against which the others are judged. The clocks of the
/// two ends differ by an unknown offset, which is in every delay and so in the fastest one too. They also drift apart,
/// which the slope of the line removes.
/// </summary>
/// <remarks>
/// The fastest datagram of every block of time is kept. From <see cref="MinBlocks"/> blocks on, the slope is that of
/// the lower convex hull of these points where their mean time is: of all lines that lie below the points, that one is
/// the closest to them (Moon, Skelly and Towsley, 1999). A steeper slope than clocks have is a queue that grows, and is
/// taken for no drift. Used by one thread at a time.
/// </remarks>
internal sealed class DelayFloor
{
    private const int MaxBlocks = 64;
    private const int MinBlocks = 8;
    private const long FirstBlockNanoseconds = 1_000_000_000;

    // Clocks of computers keep to 100 ppm or so; the kernel corrects them by at most 500 ppm (MAXFREQ, timex.h).
    private const double MaxDrift = 500e-6;

    private readonly (long Time, long Delay)[] _fastest = new (long, long)[MaxBlocks];
    private long _blockNanoseconds = FirstBlockNanoseconds;
    private long _blockEnd;
    private long _origin;
    private int _count; // blocks, the current one included
    private long _least = long.MaxValue; // of the current block, without the drift
    private long _base;
    private long _largest = long.MinValue;

    /// <summary>How much faster the receiver's clock is, as a share; 0 while it is not known.</summary>
    public double Drift { get; private set; }

    /// <summary>The most that a delay was over the fastest one.</summary>
    public long LargestOver => Math.Max(0, _largest - _base);

    /// <summary>Takes a delay, and tells how much it is over the fastest one that is known by now.</summary>
    /// <param name="arrival">When it was measured, by the receiver's clock in nanoseconds.</param>
    /// <param name="delay">The arrival less the time of sending, which is by another clock.</param>
    public long Add(long arrival, long delay)
    {
        if (_count == 0)
        {
            (_origin, _base) = (arrival, delay);
            BeginBlock(arrival);
        }
        else if (arrival >= _blockEnd)
        {
            EndBlock();
            BeginBlock(arrival);
        }

        long level = LevelOf(arrival, delay);
        if (level < _least)
        {
            _least = level;
            _fastest[_count - 1] = (arrival, delay);
            _base = Math.Min(_base, level);
        }

        _largest = Math.Max(_largest, level);
        return level - _base;
    }

    /// <summary>How much a delay is over the fastest one, by all that is known now.</summary>
    public long Over(long arrival, long delay) => Math.Max(0, LevelOf(arrival, delay) - _base);

    private long LevelOf(long arrival, long delay) =>
        Drift == 0 ? delay : delay - (long)(Drift * (arrival - _origin));

    private void BeginBlock(long arrival)
    {
        _count++;
        _blockEnd = arrival + _blockNanoseconds;
        _least = long.MaxValue;
    }

    private void EndBlock()
    {
        if (_count == MaxBlocks)
        {
            for (int i = 0; i < MaxBlocks; i += 2)
            {
                bool isFirst = LevelOf(_fastest[i].Time, _fastest[i].Delay)
                    <= LevelOf(_fastest[i + 1].Time, _fastest[i + 1].Delay);
                _fastest[i / 2] = _fastest[isFirst ? i : i + 1];
            }

            _count /= 2;
            _blockNanoseconds *= 2;
        }

        if (_count < MinBlocks) return;
        Drift = FindDrift();
        _base = long.MaxValue;
        foreach ((long time, long delay) in _fastest.AsSpan(0, _count))
        {
            _base = Math.Min(_base, LevelOf(time, delay));
        }
    }

    private double FindDrift()
    {
        Span<int> hull = stackalloc int[MaxBlocks];
        int size = 0;
        double meanTime = 0;
        for (int i = 0; i < _count; i++)
        {
            meanTime += (double)(_fastest[i].Time - _origin) / _count;
            while (size >= 2 && Slope(hull[size - 2], hull[size - 1]) >= Slope(hull[size - 1], i)) size--;
            hull[size++] = i;
        }

        int edge = 1;
        while (edge < size - 1 && _fastest[hull[edge]].Time - _origin < meanTime) edge++;
        double drift = Slope(hull[edge - 1], hull[edge]);
        return Math.Abs(drift) <= MaxDrift ? drift : 0;
    }

    private double Slope(int from, int to) => (double)(_fastest[to].Delay - _fastest[from].Delay)
        / Math.Max(1, _fastest[to].Time - _fastest[from].Time);
}
