namespace Spate.HostTuning.Reading.Firewall;

/// <summary>A rule that drops or rejects packets, and that is not for another protocol than UDP.</summary>
/// <param name="Place">For example <c>inet filter input handle 5</c>; it shows no address of the rule.</param>
internal sealed record DropRule(string Place)
{
    /// <summary>That it dropped; null for a rule that does not count.</summary>
    public long? Packets { get; init; }

    public int? Port { get; init; }

    /// <summary>The command that puts a rule ahead of it which accepts <see cref="Port"/>; null for none.</summary>
    public string? Accept { get; init; }

    /// <summary>Takes <see cref="Accept"/> back; null where there is none.</summary>
    public string? Undo { get; init; }

    /// <summary>Between two readings, those that dropped most first.</summary>
    public static IReadOnlyList<DropRule> FindGrowth(
        IReadOnlyList<DropRule>? later, IReadOnlyList<DropRule>? earlier)
    {
        if (later is null || earlier is null) return [];

        var before = new Dictionary<string, long?>(StringComparer.Ordinal);
        foreach (DropRule one in earlier) before.TryAdd(one.Place, one.Packets);

        return
        [
            .. later.Select(one => one with { Packets = one.Packets - before.GetValueOrDefault(one.Place) })
                .Where(static one => one.Packets > 0)
                .OrderByDescending(static one => one.Packets),
        ];
    }
}
