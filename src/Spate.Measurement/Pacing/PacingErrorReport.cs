namespace Spate.Measurement.Pacing;

/// <summary>
/// How far from their schedule datagrams were handed to the system. Datagram n of a flow is due n intervals after the
/// flow's start, so an error of one datagram does not shift the others. Percentiles are at most 1/32 too large.
/// </summary>
internal sealed class PacingErrorReport
{
    /// <summary>The error that half of the datagrams stayed within, in microseconds.</summary>
    public double P50Microseconds { get; set; }

    /// <summary>The error that 90 % of the datagrams stayed within, in microseconds.</summary>
    public double P90Microseconds { get; set; }

    /// <summary>The error that 99 % of the datagrams stayed within, in microseconds.</summary>
    public double P99Microseconds { get; set; }

    /// <summary>The largest error, in microseconds.</summary>
    public double MaxMicroseconds { get; set; }

    /// <summary>All errors, up to the bucket of the largest one.</summary>
    public HistogramBucket[] Histogram { get; set; } = [];
}
