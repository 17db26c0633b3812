namespace Spate.Gateway.Reading;

/// <summary>The dropped ranges of a key as they were stated, joined where they continue. Bounded.</summary>
internal sealed class GapList(IntervalBudget budget)
{
    /// <summary>The most ranges of a key; further ones are counted only.</summary>
    public const int MaxCount = 1000;

    private readonly List<GatewayFinding> _gaps = [];

    public IReadOnlyList<GatewayFinding> Gaps => _gaps;

    /// <summary>Ranges that were too many.</summary>
    public long Omitted { get; private set; }

    public void Add(ulong first, ulong count, GatewayDropReason reason)
    {
        if (_gaps.Count > 0 && _gaps[^1] is var last && last.Reason == reason && last.First + last.Count == (long)first)
        {
            _gaps[^1] = last with { Count = last.Count + (long)count };
        }
        else if (_gaps.Count < MaxCount && budget.TryTake())
        {
            _gaps.Add(new GatewayFinding
            {
                Kind = GatewayFindingKind.Dropped,
                First = (long)first,
                Count = (long)count,
                Reason = reason,
            });
        }
        else
        {
            Omitted++;
        }
    }
}
