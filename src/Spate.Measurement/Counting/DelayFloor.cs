using System.Runtime.InteropServices;

namespace Spate.Measurement.Counting;

/// <summary>
/// The fastest delay of a stream: the line below all its delays, against which the others are judged. The clocks of the
/// two ends differ by an unknown offset, which is in every delay and so in the fastest one too. They also drift apart,
/// which the slope of the line removes.
/// </summary>
/// <remarks>
/// The fastest and the slowest datagram of every block of time are kept. From <see cref="MinBlocks"/> blocks on, the
/// slope is that of the lower convex hull of the fastest ones where their mean time is: of all lines that lie below the
/// points, that one is the closest to them (Moon, Skelly and Towsley, 1999). A steeper slope than clocks have is a
/// queue that grows, and is taken for no drift; so is a slope that only a few of the points follow, which is a queue
/// that was empty at the beginning or at the end. Used by one thread at a time.
/// </remarks>
internal sealed class DelayFloor
{
    private const int MaxBlocks = 64;
    private const int MinBlocks = 8;
    private const long FirstBlockNanoseconds = 250_000_000;

    // Clocks of computers keep to 100 ppm or so; the kernel corrects them by at most 500 ppm (MAXFREQ, timex.h).
    private const double MaxDrift = 500e-6;

    private readonly Block[] _blocks = new Block[MaxBlocks];
    private long _blockNanoseconds = FirstBlockNanoseconds;
    private long _blockEnd;
    private long _origin;
    private int _count; // blocks, the current one included
    private long _least; // of the current block, by the drift that was known when it began
    private long _most;
    private long _base;

    /// <summary>How much faster the receiver's clock is, as a share; 0 while it is not known.</summary>
    public double Drift { get; private set; }

    /// <summary>
    /// The most that a delay was over the fastest one, by all that is known now. Of the delays of one block, the
    /// slowest was chosen by the drift that was known then.
    /// </summary>
    public long LargestOver
    {
        get
        {
            long largest = 0;
            foreach (ref readonly Block block in _blocks.AsSpan(0, _count))
            {
                largest = Math.Max(largest, block.Slowest.Delay - At(block.Slowest.Arrival));
            }

            return largest;
        }
    }

    /// <summary>The delay is the arrival less the time of sending, which is by another clock; in nanoseconds.</summary>
    public void Add(long arrival, long delay)
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
            _blocks[_count - 1].Fastest = new Point(arrival, delay);
            _base = Math.Min(_base, level);
        }

        if (level > _most)
        {
            _most = level;
            _blocks[_count - 1].Slowest = new Point(arrival, delay);
        }
    }

    /// <summary>The delay of the line at a time, by all that is known now.</summary>
    public long At(long arrival) => _base + DriftAt(arrival);

    public long Over(long arrival, long delay) => Math.Max(0, delay - At(arrival));

    private long DriftAt(long arrival) => Drift == 0 ? 0 : (long)(Drift * (arrival - _origin));

    private long LevelOf(long arrival, long delay) => delay - DriftAt(arrival);

    private long LevelOf(Point point) => LevelOf(point.Arrival, point.Delay);

    private void BeginBlock(long arrival)
    {
        _count++;
        _blockEnd = arrival + _blockNanoseconds;
        (_least, _most) = (long.MaxValue, long.MinValue);
    }

    private void EndBlock()
    {
        if (_count == MaxBlocks) JoinBlocks();
        if (_count >= MinBlocks && !TryTake(FindDrift())) _ = TryTake(0);
    }

    /// <summary>False if half of the blocks stay above the line by a quarter of all that it removes.</summary>
    private bool TryTake(double drift)
    {
        Drift = drift;
        Span<long> levels = stackalloc long[_count];
        for (int i = 0; i < levels.Length; i++) levels[i] = LevelOf(_blocks[i].Fastest);
        levels.Sort();
        _base = levels[0];
        return levels[_count / 2] - _base <= Math.Abs(DriftAt(_blocks[_count - 1].Fastest.Arrival)) / 4;
    }

    /// <summary>Makes one block of every two.</summary>
    private void JoinBlocks()
    {
        for (int i = 0; i < MaxBlocks; i += 2)
        {
            (Block one, Block next) = (_blocks[i], _blocks[i + 1]);
            _blocks[i / 2] = new Block
            {
                Fastest = LevelOf(one.Fastest) <= LevelOf(next.Fastest) ? one.Fastest : next.Fastest,
                Slowest = LevelOf(one.Slowest) >= LevelOf(next.Slowest) ? one.Slowest : next.Slowest,
            };
        }

        _count /= 2;
        _blockNanoseconds *= 2;
    }

    private double FindDrift()
    {
        Span<int> hull = stackalloc int[MaxBlocks];
        int size = 0;
        double meanTime = 0;
        for (int i = 0; i < _count; i++)
        {
            meanTime += (double)(_blocks[i].Fastest.Arrival - _origin) / _count;
            while (size >= 2 && Slope(hull[size - 2], hull[size - 1]) >= Slope(hull[size - 1], i)) size--;
            hull[size++] = i;
        }

        int edge = 1;
        while (edge < size - 1 && _blocks[hull[edge]].Fastest.Arrival - _origin < meanTime) edge++;
        double drift = Slope(hull[edge - 1], hull[edge]);
        return Math.Abs(drift) <= MaxDrift ? drift : 0;
    }

    private double Slope(int from, int to)
    {
        (Point first, Point last) = (_blocks[from].Fastest, _blocks[to].Fastest);
        return (double)(last.Delay - first.Delay) / Math.Max(1, last.Arrival - first.Arrival);
    }

    [StructLayout(LayoutKind.Auto)]
    private readonly record struct Point(long Arrival, long Delay);

    [StructLayout(LayoutKind.Auto)]
    private record struct Block(Point Fastest, Point Slowest);
}
