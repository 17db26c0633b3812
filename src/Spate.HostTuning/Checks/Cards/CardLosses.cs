using Spate.HostTuning.Counters;

namespace Spate.HostTuning.Checks.Cards;

/// <summary>
/// The system's counters and the driver's overlap, and drivers count each queue beside the whole, so that only the
/// largest one is a number of packets.
/// </summary>
internal static class CardLosses
{
    // Words of the drivers' names: mlx5 rx_out_of_buffer, igb rx_no_buffer_count, ixgbe rx_no_dma_resources, ENA
    // rx_drops and rx_overruns, i40e port.rx_dropped, bnxt rx_discards, e1000e rx_missed_errors and rx_crc_errors.
    private static readonly string[] NoBufferWords =
        ["out_of_buffer", "no_buffer", "nobuf", "no_dma_resources", "rx_missed", "rx_fifo", "rx_overrun"];

    private static readonly string[] LossWords =
        [.. NoBufferWords, "drop", "discard", "crc_err", "overrun", "overflow", "fifo_err", "tx_err", "rx_err"];

    // Packets that a program or a filter was told to drop, that were for others, and what allowances have a check for.
    private static readonly string[] OtherWords = ["xdp", "filter", "allowance", "vlan"];

    public static bool AreKnown(HostReadings host, HostInterface one) =>
        Find(host, one) is not null || one.Card.Statistics.Count > 0;

    /// <summary>Those that grew, the largest first.</summary>
    public static IReadOnlyList<(string Name, long Count)> Of(HostReadings host, HostInterface one)
    {
        return
        [
            .. (Find(host, one) is { } growth ? OfSystem(growth) : [])
                .Concat(Driver(one, LossWords))
                .DistinctBy(static count => count.Name, StringComparer.Ordinal)
                .OrderByDescending(static count => count.Count)
                .ThenBy(static count => count.Name, StringComparer.Ordinal),
        ];
    }

    /// <summary>Those that the system counts, whose names are the same for all drivers.</summary>
    public static IReadOnlyList<(string Name, long Count)> OfSystem(InterfaceCounters growth)
    {
        (string Name, long? Count)[] system =
        [
            ("rx_missed_errors", growth.RxMissedErrors),
            ("rx_fifo_errors", growth.RxFifoErrors),
            ("rx_errors", growth.RxErrors),
            ("tx_errors", growth.TxErrors),
            ("tx_dropped", growth.TxDropped),
            ("tx_fifo_errors", growth.TxFifoErrors),
            ("tx_carrier_errors", growth.TxCarrierErrors),
        ];
        return
        [
            .. system.Where(static count => count.Count > 0)
                .Select(static count => (count.Name, count.Count.GetValueOrDefault())),
        ];
    }

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
}
