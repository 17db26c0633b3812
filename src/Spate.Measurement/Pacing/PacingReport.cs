using System.Runtime.InteropServices;

namespace Spate.Measurement.Pacing;

/// <summary>How a sender kept its rate.</summary>
internal sealed class PacingReport
{
    /// <summary>How it waited: the name of a <see cref="PaceMode"/>, for example <c>sleep</c>.</summary>
    public string Mode { get; set; } = "";

    /// <summary>Unless the sender is late by more than <see cref="RatePacer.SmoothSeconds"/>.</summary>
    public double MaxBurstMicroseconds { get; set; }

    public long Bursts { get; set; }

    public int MostPerBurst { get; set; }

    /// <summary>Due and given up: the sender was late by over <see cref="RatePacer.BacklogSeconds"/>.</summary>
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
