using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.PathTest;

/// <summary>
/// How long heartbeats of a test took to the other end and back, without the time that they lay there, while data was
/// on its way. The clock of one end alone is used.
/// </summary>
internal sealed record RoundTripReport
{
    /// <summary>How many round trips were measured; the other figures are 0 where there were none.</summary>
    public int Samples { get; set; }

    /// <summary>The shortest, in microseconds.</summary>
    public double MinMicroseconds { get; set; }

    /// <summary>The median, in microseconds.</summary>
    public double MedianMicroseconds { get; set; }

    /// <summary>What 99 of 100 did not exceed, in microseconds.</summary>
    public double P99Microseconds { get; set; }

    /// <summary>The longest, in microseconds.</summary>
    public double MaxMicroseconds { get; set; }

    /// <summary>Sums up round trips in nanoseconds.</summary>
    internal static RoundTripReport From(IReadOnlyCollection<long> nanoseconds)
    {
        if (nanoseconds.Count == 0) return new RoundTripReport();

        double[] sorted = [.. nanoseconds.Order().Select(static one => one / 1000.0)];
        return new RoundTripReport
        {
            Samples = sorted.Length,
            MinMicroseconds = sorted[0],
            MedianMicroseconds = Statistics.Median(sorted),
            P99Microseconds = sorted[(int)Math.Ceiling(0.99 * sorted.Length) - 1],
            MaxMicroseconds = sorted[^1],
        };
    }
}
