namespace Spate.HostTuning.Checks.Cards;

/// <summary>Whether a link is as fast as its card.</summary>
internal sealed class LinkSpeedCheck : InterfaceCheck
{
    private const int MegabitsPerGigabit = 1000;

    public override string Id => "link-speed";

    public override string Subject => "speed of a link";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        if (one.Card.Link is not { Megabits: { } speed } link) return null;

        string found = Text(speed) + (link.IsHalfDuplex ? ", half duplex" : "");
        string wanted = link.MaxMegabits is { } max ? Text(Math.Max(max, speed)) : "full duplex";
        if (link.IsHalfDuplex)
        {
            return BelowNeed(
                found, wanted, "A half-duplex link loses what both ends send at once: its other end does not negotiate "
                + "(ethtool).");
        }

        return link.MaxMegabits > speed
            ? Advice(
                found,
                wanted,
                "The card can do more than was negotiated: the cable, the transceiver or the port of the switch limits "
                    + "it (ethtool).")
            : Ok(found, "The link runs as fast as the card can (ethtool).");
    }

    private static string Text(long megabits) => megabits % MegabitsPerGigabit == 0
        ? $"{megabits / MegabitsPerGigabit} Gbit/s"
        : megabits > MegabitsPerGigabit
            ? string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{megabits / 1000.0:0.#} Gbit/s")
            : $"{megabits} Mbit/s";
}
