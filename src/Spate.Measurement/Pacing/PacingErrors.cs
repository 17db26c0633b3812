using System.Numerics;
using System.Runtime.InteropServices;

namespace Spate.Measurement.Pacing;

/// <summary>
/// How far datagrams left from their schedule. It counts every datagram in buckets that are at most 1/32 of their value
/// wide, so its memory is bounded, and a percentile is at most that much too large. Not thread-safe.
/// </summary>
internal sealed class PacingErrors
{
    // Errors are counted in 1/32 µs, so that the buckets of a report, which end at powers of two of 1 µs, hold whole
    // buckets. Below 2 µs each unit has a bucket, above that each power of two has 32.
    private const int StepBits = 5;
    private const int StepsPerPower = 1 << StepBits;
    private const long UnitsPerSecond = 1_000_000L * StepsPerPower;
    private const double UnitsPerMicrosecond = StepsPerPower;

    // 2^39 units are five hours.
    private const int MaxUnitBits = 39;

    private readonly double _unitsPerTick;
    private readonly double _microsecondsPerTick;
    private readonly long[] _counts = new long[IndexOf(1L << MaxUnitBits) + 1];
    private double _maxTicks;

    /// <param name="ticksPerSecond">The frequency of the clock whose ticks <see cref="Add"/> is given.</param>
    public PacingErrors(long ticksPerSecond)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(ticksPerSecond);
        _unitsPerTick = (double)UnitsPerSecond / ticksPerSecond;
        _microsecondsPerTick = 1e6 / ticksPerSecond;
    }

    public long Datagrams { get; private set; }

    public long Bursts { get; private set; }

    public int MostPerBurst { get; private set; }

    /// <summary>The first one's lateness is negative if it left early; the interval is between two due times.</summary>
    public void Add(double firstLateTicks, double intervalTicks, int datagramCount)
    {
        for (int i = 0; i < datagramCount; i++)
        {
            double ticks = Math.Abs(firstLateTicks - (i * intervalTicks));
            _maxTicks = Math.Max(_maxTicks, ticks);
            _counts[IndexOf((long)(ticks * _unitsPerTick))]++;
        }

        Datagrams += datagramCount;
        Bursts++;
        MostPerBurst = Math.Max(MostPerBurst, datagramCount);
    }

    public void Merge(PacingErrors other)
    {
        for (int i = 0; i < _counts.Length; i++) _counts[i] += other._counts[i];
        _maxTicks = Math.Max(_maxTicks, other._maxTicks);
        Datagrams += other.Datagrams;
        Bursts += other.Bursts;
        MostPerBurst = Math.Max(MostPerBurst, other.MostPerBurst);
    }

    /// <summary>In microseconds: the share, 0 to 1, stayed within; 0 where none was counted.</summary>
    public double PercentileMicroseconds(double share)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(share);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(share, 1);
        double max = _maxTicks * _microsecondsPerTick;
        long rank = Math.Max(1, (long)Math.Ceiling(share * Datagrams));
        long seen = 0;
        for (int i = 0; i < _counts.Length && Datagrams > 0; i++)
        {
            seen += _counts[i];
            if (seen >= rank) return Math.Min(max, EndOf(i) / UnitsPerMicrosecond);
        }

        return 0;
    }

    public PacingErrorReport ToReport() => new()
    {
        P50Microseconds = PercentileMicroseconds(0.5),
        P90Microseconds = PercentileMicroseconds(0.9),
        P99Microseconds = PercentileMicroseconds(0.99),
        MaxMicroseconds = PercentileMicroseconds(1),
        Histogram = Histogram(),
    };

    private HistogramBucket[] Histogram()
    {
        var buckets = new List<HistogramBucket>();
        long end = StepsPerPower;
        long count = 0;
        long left = Datagrams;
        for (int i = 0; left > 0; i++)
        {
            count += _counts[i];
            left -= _counts[i];
            if (EndOf(i) < end && left > 0) continue;

            buckets.Add(new HistogramBucket(end / UnitsPerMicrosecond, count));
            (end, count) = (2 * end, 0);
        }

        return [.. buckets];
    }

    private static int IndexOf(long units)
    {
        long bounded = Math.Min(units, 1L << MaxUnitBits);
        int shift = Math.Max(0, BitOperations.Log2((ulong)bounded) - StepBits);
        return (shift << StepBits) + (int)(bounded >> shift);
    }

    /// <summary>The first value, in units, that is too large for the bucket.</summary>
    private static long EndOf(int index)
    {
        int shift = Math.Max(0, (index >> StepBits) - 1);
        return (index - (shift << StepBits) + 1L) << shift;
    }
}

/// <summary>How a sender kept its rate.</summary>
internal sealed class PacingReport
{
    /// <summary>How it waited: the name of a <see cref="PaceMode"/>, for example <c>sleep</c>.</summary>
    public string Mode { get; set; } = "";

    /// <summary>Unless the sender is late by more than <see cref="RatePacer.SmoothSeconds"/>.</summary>
    public double MaxBurstMicroseconds { get; set; }

    public long Bursts { get; set; }

    public int MostPerBurst { get; set; }

    /// <summary>
    /// Due and given up: the sender was late by over <see cref="RatePacer.BacklogSeconds"/>, or the socket took no more
    /// when the time was over.
    /// </summary>
    public long Skipped { get; set; }

    public PacingErrorReport GapError { get; set; } = new();
}

/// <summary>
/// How far from their schedule datagrams were handed to the system. Datagram n of a flow is due n intervals after the
/// flow's start, so an error of one datagram does not shift the others. Percentiles are at most 1/32 too large.
/// </summary>
internal sealed class PacingErrorReport
{
    public double P50Microseconds { get; set; }

    public double P90Microseconds { get; set; }

    public double P99Microseconds { get; set; }

    public double MaxMicroseconds { get; set; }

    /// <summary>All errors, up to the bucket of the largest one.</summary>
    public HistogramBucket[] Histogram { get; set; } = [];
}

/// <summary>One bucket of a histogram of times. It begins where the one before it ends, the first one at 0.</summary>
/// <param name="BelowMicroseconds">Where the bucket ends: a power of two.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct HistogramBucket(double BelowMicroseconds, long Datagrams);
