using System.Runtime.InteropServices;

namespace Spate.Measurement.Counting;

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
