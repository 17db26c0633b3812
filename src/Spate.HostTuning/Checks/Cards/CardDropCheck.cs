namespace Spate.HostTuning.Checks.Cards;

/// <summary>What a card and its driver lose.</summary>
internal sealed class CardDropCheck : InterfaceCheck
{
    private const int MaxNames = 4;

    public override string Id => "card-drops";

    public override string Subject => "packets that a card loses";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        if (!CardLosses.AreKnown(host, one)) return Unknown("The system shows no counters of this interface.");

        IReadOnlyList<(string Name, long Count)> losses = CardLosses.Of(host, one);
        if (losses.Count == 0) return Ok("none", $"No counter of losses grew {Meanwhile} (ip -s -s link, ethtool -S).");

        string found = string.Join(
            ", ", losses.Take(MaxNames).Select(static one => $"{one.Name} +{CheckText.Count(one.Count)}"));
        return Problem(
            losses.Count > MaxNames ? $"{found} and {losses.Count - MaxNames} more" : found,
            "no growth",
            $"The card or its driver counted losses {Meanwhile} (ip -s -s link, ethtool -S): missed, fifo and "
                + "no_buffer ask for ring and queue-count, crc for another cable or transceiver.",
            losses[0].Count);
    }
}
