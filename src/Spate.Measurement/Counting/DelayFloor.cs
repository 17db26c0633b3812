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

/// <summary>
/// One-way delay variation as packet delay variation (PDV, RFC 5481, 4.2): how much later datagrams arrived than the
/// fastest one of their stream. The drift between the clocks of the two ends is removed. The delay is that of the
/// receive call which brought a datagram, so it includes the wait in the receiver's socket.
/// </summary>
internal sealed record DelayVariation
{
    /// <summary>Data datagrams with a time of sending, copies included. Percentiles are over the fastest.</summary>
    public long Datagrams { get; set; }

    /// <summary>One for what one call sent and one call received; of over 16384, an even selection.</summary>
    public long Buffers { get; set; }

    public double P50Microseconds { get; set; }

    public double P90Microseconds { get; set; }

    public double P99Microseconds { get; set; }

    public double P999Microseconds { get; set; }

    /// <summary>Where the drift was found late, another one may have been slower by up to 25 µs at 100 ppm.</summary>
    public double MaxMicroseconds { get; set; }

    /// <summary>
    /// By how many millionths the receiver's clock was faster than the sender's; that of the stream with the most
    /// datagrams. 0 if it is not known, in the first two seconds, and if the delay grew as no clock drifts.
    /// </summary>
    public double DriftPartsPerMillion { get; set; }

    /// <summary>The variation over all samples; null where no datagram had a time.</summary>
    internal static DelayVariation? Of(IReadOnlyCollection<DelaySamples> all)
    {
        var samples = new List<(long Over, double Weight)>();
        foreach (DelaySamples some in all) some.CopyTo(samples);
        if (samples.Count == 0) return null;
        samples.Sort(static (left, right) => left.Over.CompareTo(right.Over));
        (DelayFloor Floor, long Datagrams)[] floors = [.. all.SelectMany(static some => some.Floors())];
        long max = Math.Max(samples[^1].Over, floors.Max(static floor => floor.Floor.LargestOver));
        return new DelayVariation
        {
            Datagrams = all.Sum(static some => some.Datagrams),
            Buffers = all.Sum(static some => some.Buffers),
            P50Microseconds = Percentile(samples, 0.5),
            P90Microseconds = Percentile(samples, 0.9),
            P99Microseconds = Percentile(samples, 0.99),
            P999Microseconds = Percentile(samples, 0.999),
            MaxMicroseconds = max / 1e3,
            DriftPartsPerMillion = 1e6 * floors.MaxBy(static floor => floor.Datagrams).Floor.Drift,
        };
    }

    /// <summary>The smallest value that the share of the weight does not exceed.</summary>
    private static double Percentile(List<(long Over, double Weight)> sorted, double share)
    {
        double left = share * sorted.Sum(static sample => sample.Weight);
        foreach ((long over, double weight) in sorted)
        {
            left -= weight;
            if (left <= 0) return over / 1e3;
        }

        return sorted[^1].Over / 1e3;
    }
}

/// <summary>
/// The delays of received buffers, at most <see cref="MaxSamples"/>: when there are more, every second one is forgotten
/// and only every second further one is kept, so that those that are kept are spread evenly. Not thread-safe.
/// </summary>
internal sealed class DelaySamples
{
    public const int MaxSamples = 16384;

    private BufferDelay[]? _samples;
    private int _count;
    private int _stride = 1;
    private int _left = 1;

    public long Datagrams { get; private set; }

    /// <summary>Received buffers, or parts of them that one call sent.</summary>
    public long Buffers { get; private set; }

    public void Add(DelayFloor floor, long arrival, long delay, int datagrams)
    {
        Datagrams += datagrams;
        Buffers++;
        if (--_left > 0) return;
        _samples ??= new BufferDelay[MaxSamples];
        if (_count == MaxSamples) Thin();
        _samples[_count++] = new BufferDelay(floor, arrival, delay, datagrams);
        _left = _stride;
    }

    /// <summary>Gives every sample: how much it is over the fastest delay of its stream, and its weight.</summary>
    public void CopyTo(List<(long Over, double Weight)> samples)
    {
        foreach (ref readonly BufferDelay sample in _samples.AsSpan(0, _count))
        {
            samples.Add((sample.Floor.Over(sample.Arrival, sample.Delay), (double)sample.Datagrams * _stride));
        }
    }

    /// <summary>The streams, each with the number of its datagrams that the samples hold.</summary>
    public IEnumerable<(DelayFloor Floor, long Datagrams)> Floors() => (_samples ?? [])
        .Take(_count)
        .GroupBy(static sample => sample.Floor)
        .Select(static group => (group.Key, group.Sum(static sample => (long)sample.Datagrams)));

    private void Thin()
    {
        for (int i = 0; i < MaxSamples / 2; i++) _samples![i] = _samples[2 * i];
        Array.Clear(_samples!, MaxSamples / 2, MaxSamples / 2);
        _count = MaxSamples / 2;
        _stride *= 2;
    }

    [StructLayout(LayoutKind.Auto)]
    private readonly record struct BufferDelay(DelayFloor Floor, long Arrival, long Delay, int Datagrams);
}
