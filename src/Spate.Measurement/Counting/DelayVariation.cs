namespace Spate.Measurement.Counting;

/// <summary>
/// One-way delay variation as packet delay variation (PDV, RFC 5481, 4.2): how much later datagrams arrived than the
/// fastest one of their stream. The drift between the clocks of the two ends is removed. The delay is that of the
/// receive call which brought a datagram, so it includes the wait in the receiver's socket.
/// </summary>
internal sealed record DelayVariation
{
    /// <summary>Data datagrams with a time of sending, copies included.</summary>
    public long Datagrams { get; set; }

    /// <summary>
    /// The delays that were taken: one for the datagrams that one call sent and one call received. Of more than 16384,
    /// an even selection of at least half as many gives the percentiles.
    /// </summary>
    public long Buffers { get; set; }

    /// <summary>Microseconds over the fastest that half of the datagrams did not exceed.</summary>
    public double P50Microseconds { get; set; }

    /// <summary>Microseconds over the fastest that 90 % of the datagrams did not exceed.</summary>
    public double P90Microseconds { get; set; }

    /// <summary>Microseconds over the fastest that 99 % of the datagrams did not exceed.</summary>
    public double P99Microseconds { get; set; }

    /// <summary>Microseconds over the fastest that 99.9 % of the datagrams did not exceed.</summary>
    public double P999Microseconds { get; set; }

    /// <summary>
    /// Microseconds that the slowest datagram was over the fastest. Where the drift was found only later, another one
    /// of the same quarter of a second may have been slower by what the drift came to in that time: 25 µs at 100 ppm.
    /// </summary>
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
