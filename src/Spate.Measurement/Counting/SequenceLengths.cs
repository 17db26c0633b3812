namespace Spate.Measurement.Counting;

/// <summary>How loss and reordering were spread over the datagrams. All lengths are counts of datagrams.</summary>
internal sealed class SequenceLengths
{
    /// <summary>Sequences that are all lost and follow each other (RFC 3357, 5.3, loss periods).</summary>
    public LengthHistogram LossBursts { get; } = new();

    /// <summary>Sequences that all arrived, between two bursts. RFC 3357, 5.4, counts one more.</summary>
    public LengthHistogram LossGaps { get; } = new();

    /// <summary>
    /// Reordering extents (RFC 4737, 4.2.2) of the datagrams that <see cref="SequenceCounts.Reordered"/> counts: how
    /// many first copies arrived from the first one with a higher sequence to the one before this datagram.
    /// </summary>
    public LengthHistogram ReorderExtents { get; } = new();

    /// <summary>
    /// Reordered datagrams without an extent: more than <see cref="SequenceTracker.MaxKnownGaps"/> gaps opened since
    /// they were missing. All other extents are exact.
    /// </summary>
    public long UnknownExtents { get; internal set; }

    internal void Add(SequenceLengths other)
    {
        LossBursts.Add(other.LossBursts);
        LossGaps.Add(other.LossGaps);
        ReorderExtents.Add(other.ReorderExtents);
        UnknownExtents += other.UnknownExtents;
    }

    internal void Clear()
    {
        LossBursts.Clear();
        LossGaps.Clear();
        ReorderExtents.Clear();
        UnknownExtents = 0;
    }
}
