using Spate.HostTuning.Counters;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>
/// What cards, their drivers and clouds lose. The system's counters and the driver's overlap, and drivers count each
/// queue beside the whole, so that only the largest one is a number of packets.
/// </summary>
internal static class CardLossChecks
{
    private const int MaxNames = 4;

    // Amazon's ENA driver, since 2.2.10: bw_in_, bw_out_, pps_, conntrack_ and linklocal_.
    private const string AllowanceEnding = "_allowance_exceeded";

    // ESnet's guides for 10 and 100 Gbit/s.
    private const uint WantedRingBuffers = 8192;

    // Cards have up to 16384; more than this is no ring.
    private const uint MaxRingBuffers = 1_000_000;

    // Words of the drivers' names: mlx5 rx_out_of_buffer, igb rx_no_buffer_count, ixgbe rx_no_dma_resources, ENA
    // rx_drops and rx_overruns, i40e port.rx_dropped, bnxt rx_discards, e1000e rx_missed_errors and rx_crc_errors.
    private static readonly string[] NoBufferWords =
        ["out_of_buffer", "no_buffer", "nobuf", "no_dma_resources", "rx_missed", "rx_fifo", "rx_overrun"];

    private static readonly string[] LossWords =
        [.. NoBufferWords, "drop", "discard", "crc_err", "overrun", "overflow", "fifo_err", "tx_err", "rx_err"];

    // Packets that a program or a filter was told to drop, that were for others, and what allowances have a check for.
    private static readonly string[] OtherWords = ["xdp", "filter", "allowance", "vlan"];

    /// <summary>What a card and its driver lose.</summary>
    public static CheckFinding Drops(HostReadings host, HostInterface one)
    {
        if (Find(host, one) is null && one.Card.Statistics.Count == 0)
        {
            return Unknown("The system has no counters of this interface.");
        }

        IReadOnlyList<(string Name, long Count)> losses = Of(host, one);
        if (losses.Count == 0)
        {
            return Ok("none", $"No loss counter grew {CheckText.Meanwhile} (ip -s -s link, ethtool -S).");
        }

        string found = Describe(losses.Take(MaxNames));
        return Problem(
            losses.Count > MaxNames ? $"{found} and {losses.Count - MaxNames} more" : found,
            "no growth",
            $"The NIC or its driver counted losses {CheckText.Meanwhile} (ip -s -s link, ethtool -S): missed, fifo "
                + "and no_buffer point to ring and queue-count, crc to the cable or transceiver.",
            losses[0].Count);
    }

    /// <summary>The buffers that a card puts arrivals in.</summary>
    public static CheckFinding? Ring(HostReadings host, HostInterface one)
    {
        long lost = WithoutBuffer(host, one);
        string why = $"{CheckText.Count(lost)} packets found no buffer in the ring {CheckText.Meanwhile} "
            + "(rx_missed_errors and the like, ethtool -S): the CPU did not empty it in time.";
        if (one.Card.Rings is not { } rings || rings.rx_max_pending == 0)
        {
            return lost > 0 ? Problem("unknown", "more buffers, or more queues", why, lost) : null;
        }

        if (rings.rx_max_pending > MaxRingBuffers || rings.rx_pending > rings.rx_max_pending)
        {
            return Unknown("The driver reports invalid ring sizes.");
        }

        string found = $"{CheckText.Count(rings.rx_pending)} of {CheckText.Count(rings.rx_max_pending)} buffers";
        if (lost > 0)
        {
            uint more = Math.Min(rings.rx_max_pending, 2 * rings.rx_pending);
            return more > rings.rx_pending
                ? Problem(found, Text(more), why, lost).With(Change(one, rings, more))
                : Problem(found, "arrivals on more queues (queue-count, flow-hash)", why, lost);
        }

        uint wanted = Math.Min(rings.rx_max_pending, WantedRingBuffers);
        return host.Needs.IsFast && rings.rx_pending < wanted
            ? Advice(
                found,
                Text(wanted),
                "A longer ring holds arrivals while its CPU is busy (ESnet advises 8,192 from 10 Gbit/s on).")
                .With(Change(one, rings, wanted))
            : Ok(found, $"No packet found the ring full {CheckText.Meanwhile} (ethtool -S).");

        static string Text(uint buffers) => $"{CheckText.Count(buffers)} buffers";

        static HostChange Change(HostInterface one, ethtool_ringparam rings, uint buffers) => HostChange.Of(
            new CardNumberSetting(one.Name, CardNumber.RingRx), rings.rx_pending, buffers);
    }

    /// <summary>What a cloud dropped since the machine had used up what it may send or receive.</summary>
    public static CheckFinding? Allowance(HostReadings host, HostInterface one)
    {
        (string Name, ulong Total)[] counters =
        [
            .. one.Card.Statistics.Where(static count => IsAllowance(count.Key))
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
                Describe(grown),
                "a lower rate, more but smaller flows, or a larger instance",
                "The cloud queued or dropped these packets, because the instance exceeded its allowance (ENA driver, "
                    + "ethtool -S).",
                grown[0].Count);
        }

        string before = string.Join(", ", counters.Where(static count => count.Total > 0)
            .Select(static count => $"{count.Name} {count.Total}"));
        return Ok(
            before.Length > 0 ? $"none now; earlier: {before}" : "none",
            $"No allowance was exceeded {CheckText.Meanwhile} (ENA driver, ethtool -S).");
    }

    public static bool IsAllowance(string name) => name.EndsWith(AllowanceEnding, StringComparison.Ordinal);

    /// <summary>Those that grew, the largest first.</summary>
    public static IReadOnlyList<(string Name, long Count)> Of(HostReadings host, HostInterface one) =>
    [
        .. (Find(host, one) is { } growth ? OfSystem(growth) : [])
            .Concat(Driver(one, LossWords))
            .DistinctBy(static count => count.Name, StringComparer.Ordinal)
            .OrderByDescending(static count => count.Count)
            .ThenBy(static count => count.Name, StringComparer.Ordinal),
    ];

    /// <summary>Those that the system counts, whose names are the same for all drivers.</summary>
    public static IReadOnlyList<(string Name, long Count)> OfSystem(InterfaceCounters growth) =>
    [
        .. CounterTable.Interface.Where(row => row.IsLoss && row.Get(growth) > 0)
            .Select(row => (row.Name, row.Get(growth).GetValueOrDefault())),
    ];

    public static long WithoutBuffer(HostReadings host, HostInterface one)
    {
        InterfaceCounters? growth = Find(host, one);
        return Driver(one, NoBufferWords)
            .Select(static count => count.Count)
            .Append(growth?.RxMissedErrors ?? 0)
            .Append(growth?.RxFifoErrors ?? 0)
            .Max();
    }

    private static InterfaceCounters? Find(HostReadings host, HostInterface one) => host.Growth.Interfaces
        .FirstOrDefault(counters => string.Equals(counters.Name, one.ShownName, StringComparison.Ordinal));

    private static IEnumerable<(string Name, long Count)> Driver(HostInterface one, string[] words) => one.CardGrowth
        .Where(count => count.Value > 0 && HasAny(count.Key, words) && !HasAny(count.Key, OtherWords))
        .Select(static count => (count.Key, (long)Math.Min(count.Value, long.MaxValue)));

    private static bool HasAny(string name, string[] words) =>
        Array.Exists(words, word => name.Contains(word, StringComparison.OrdinalIgnoreCase));

    private static string Describe(IEnumerable<(string Name, long Count)> grown) =>
        string.Join(", ", grown.Select(static count => $"{count.Name} +{CheckText.Count(count.Count)}"));
}
