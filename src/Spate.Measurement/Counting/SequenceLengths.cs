namespace Spate.Measurement.Counting;

/// <summary>
/// How loss and reordering were spread over the datagrams of one stream, or of several streams added up. All lengths
/// are counts of datagrams.
/// </summary>
internal sealed class SequenceLengths
{
    /// <summary>
    /// Loss bursts: sequences that are all lost and follow each other (RFC 3357, 5.3, loss periods). Their sum is
    /// <see cref="SequenceCounts.Lost"/>.
    /// </summary>
    public LengthHistogram LossBursts { get; } = new();

    /// <summary>
    /// Loss gaps: sequences that all arrived, between two loss bursts of a stream. RFC 3357, 5.4, counts the distance
    /// between the two bursts, which is one more.
    /// </summary>
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
