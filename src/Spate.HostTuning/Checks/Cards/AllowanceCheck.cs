namespace Spate.HostTuning.Checks.Cards;

/// <summary>What a cloud dropped since the machine had used up what it may send or receive.</summary>
internal sealed class AllowanceCheck : InterfaceCheck
{
    /// <summary>Amazon's ENA driver, since 2.2.10: bw_in_, bw_out_, pps_, conntrack_ and linklocal_.</summary>
    public const string Ending = "_allowance_exceeded";

    public override string Id => "cloud-allowance";

    public override string Subject => "limits of a cloud";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        (string Name, ulong Total)[] counters =
        [
            .. one.Card.Statistics.Where(static count => count.Key.EndsWith(Ending, StringComparison.Ordinal))
                .Select(static count => (count.Key, count.Value)),
        ];
        if (counters.Length == 0) return null;

        (string Name, long Count)[] grown =
        [
            .. counters
                .Select(count => (count.Name, Count: (long)one.CardGrowth.GetValueOrDefault(count.Name)))
                .Where(static count => count.Count > 0)
                .OrderByDescending(static count => count.Count),
        ];
        if (grown.Length > 0)
        {
            return Problem(
                string.Join(", ", grown.Select(static count => $"{count.Name} +{CheckText.Count(count.Count)}")),
                "a lower rate, more but smaller flows, or a larger instance",
                "The cloud queued or dropped these packets, since the instance had used up its allowance (ENA driver, "
                    + "ethtool -S).",
                grown[0].Count);
        }

        string before = string.Join(", ", counters.Where(static count => count.Total > 0)
            .Select(static count => $"{count.Name} {count.Total}"));
        return Ok(
            before.Length > 0 ? $"none now; earlier: {before}" : "none",
            $"No allowance was exceeded {Meanwhile} (ENA driver, ethtool -S).");
    }
}
