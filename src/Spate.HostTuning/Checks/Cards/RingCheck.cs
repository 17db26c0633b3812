using System.Globalization;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cards;

/// <summary>The buffers that a card puts arrivals in.</summary>
internal sealed class RingCheck : InterfaceCheck
{
    // ESnet's guides for 10 and 100 Gbit/s.
    private const uint WantedBuffers = 8192;

    // Cards have up to 16384; more than this is no ring.
    private const uint MaxBuffers = 1_000_000;

    public override string Id => "ring";

    public override string Subject => "receive ring of a card";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        long lost = CardLosses.WithoutBuffer(host, one);
        string why = $"{CheckText.Count(lost)} packets found no buffer in the ring {Meanwhile} "
            + "(rx_missed_errors and the like, ethtool -S): the CPU did not empty it in time.";
        if (one.Card.Rings is not { } rings || rings.rx_max_pending == 0)
        {
            return lost > 0 ? Problem("unknown", "more buffers, or more queues", why, lost) : null;
        }

        if (rings.rx_max_pending > MaxBuffers || rings.rx_pending > rings.rx_max_pending)
        {
            return Unknown("The driver tells of a ring that makes no sense.");
        }

        string found = $"{CheckText.Count(rings.rx_pending)} of {CheckText.Count(rings.rx_max_pending)} buffers";
        if (lost > 0)
        {
            uint more = Math.Min(rings.rx_max_pending, 2 * rings.rx_pending);
            return more > rings.rx_pending
                ? Problem(found, Text(more), why, lost).With(Change(one, rings, more))
                : Problem(found, "arrivals on more queues (queue-count, flow-hash)", why, lost);
        }

        uint wanted = Math.Min(rings.rx_max_pending, WantedBuffers);
        return host.Needs.IsFast && rings.rx_pending < wanted
            ? Advice(
                found,
                Text(wanted),
                "A longer ring holds what arrives while its CPU is busy (ESnet advises 8,192 from 10 Gbit/s on).")
                .With(Change(one, rings, wanted))
            : Ok(found, $"No packet found the ring full {Meanwhile} (ethtool -S).");
    }

    private static string Text(uint buffers) => $"{CheckText.Count(buffers)} buffers";

    private static HostChange Change(HostInterface one, ethtool_ringparam rings, uint buffers) => new(
        new CardNumberSetting(one.Name, CardNumber.RingRx),
        rings.rx_pending.ToString(CultureInfo.InvariantCulture),
        buffers.ToString(CultureInfo.InvariantCulture));
}
