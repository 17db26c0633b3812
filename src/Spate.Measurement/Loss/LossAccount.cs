namespace Spate.Measurement.Loss;

/// <summary>
/// Where the missing datagrams of one direction were lost: every one in one place, or unexplained. Immutable.
/// </summary>
internal sealed record LossAccount
{
    private LossAccount(LossAttribution allocation, LossText text)
    {
        var lostWhere = new OrderedDictionary<string, long>(LossPlaces.All.Count, StringComparer.Ordinal);
        foreach (LossPlace place in LossPlaces.All) lostWhere.Add(LossPlaces.NameOf(place), allocation[place]);

        LostWhere = lostWhere;
        Unexplained = allocation.Unexplained;
        Sentence = text.Sentence;
        Remedy = text.Remedy;
    }

    /// <summary>
    /// Datagrams by place: all places of <see cref="LossPlace"/> in their order, in camelCase, zeros included. With
    /// <see cref="Unexplained"/> they add up to <see cref="LossEvidence.Missing"/>.
    /// </summary>
    public IReadOnlyDictionary<string, long> LostWhere { get; }

    /// <summary>
    /// Missing datagrams that the counters do not put anywhere. <see cref="Sentence"/> says why where they are the
    /// largest part.
    /// </summary>
    public long Unexplained { get; }

    /// <summary>
    /// The verdict: the largest part of the loss with its place, the figures and the command that would help, in one
    /// line of printable ASCII.
    /// </summary>
    public string Sentence { get; }

    /// <summary>
    /// The command, or the options of the next test, that would help; null where nothing was lost or none is known.
    /// </summary>
    public string? Remedy { get; }

    /// <summary>Puts the missing datagrams where they were lost. Impossible values are bounded.</summary>
    public static LossAccount Judge(LossEvidence evidence)
    {
        DropCounts limits = DropCounts.Of(evidence);
        LossAttribution allocation = LossAttribution.Of(evidence, limits);
        return new LossAccount(allocation, LossText.Of(evidence, limits, allocation));
    }

    public override string ToString() => RecordText.Of(
        nameof(LossAccount), PrintMembers, (nameof(LostWhere), LostWhere));
}
