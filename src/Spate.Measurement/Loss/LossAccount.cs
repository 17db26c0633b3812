namespace Spate.Measurement.Loss;

/// <summary>Where one direction's datagrams were lost: each in one place, or unexplained. Immutable.</summary>
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

    /// <summary>By place, in the order of <see cref="LossPlace"/>, in camelCase, with zeros.</summary>
    public IReadOnlyDictionary<string, long> LostWhere { get; }

    /// <summary>What the counters put nowhere. <see cref="Sentence"/> says why where it is the largest part.</summary>
    public long Unexplained { get; }

    /// <summary>The largest part of the loss, its place and what would help: one line of printable ASCII.</summary>
    public string Sentence { get; }

    /// <summary>A command or options; null where nothing was lost or none is known.</summary>
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
