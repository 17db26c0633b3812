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
