using System.Runtime.InteropServices;

namespace Spate.Measurement.Pacing;

/// <summary>How a sender kept its rate.</summary>
internal sealed class PacingReport
{
    /// <summary>How it waited: the name of a <see cref="PaceMode"/>, for example <c>sleep</c>.</summary>
    public string Mode { get; set; } = "";

    /// <summary>
    /// The longest time whose datagrams may leave at once, in microseconds, unless the sender is behind its schedule by
    /// more than <see cref="RatePacer.SmoothSeconds"/>.
    /// </summary>
    public double MaxBurstMicroseconds { get; set; }

    /// <summary>Groups of datagrams that were handed to the system at once.</summary>
    public long Bursts { get; set; }

    /// <summary>The most datagrams of a group.</summary>
    public int MostPerBurst { get; set; }

    /// <summary>
    /// Datagrams that were due and given up because the sender was late by more than
    /// <see cref="RatePacer.BacklogSeconds"/>.
    /// </summary>
    public long Skipped { get; set; }

    /// <summary>How far from the schedule the datagrams left.</summary>
    public PacingErrorReport GapError { get; set; } = new();
}

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

/// <summary>One bucket of a histogram of times. It begins where the one before it ends, the first one at 0.</summary>
/// <param name="BelowMicroseconds">Where the bucket ends: a power of two.</param>
/// <param name="Datagrams">The datagrams in it.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct HistogramBucket(double BelowMicroseconds, long Datagrams);
