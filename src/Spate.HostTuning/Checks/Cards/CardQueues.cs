using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Checks.Cards;

internal static class CardQueues
{
    private const string VirtioDriver = "virtio_net";

    /// <summary>That arrivals are spread over; 1 where the system does not tell.</summary>
    public static long CountOf(HostInterface one) =>
        one.Card.Channels is { } channels && CountOf(channels) is > 0 and var count
            ? count
            : one.Link.ReceiveQueues ?? 1;

    public static long CountOf(ethtool_channels channels) => (long)channels.combined_count + channels.rx_count;

    /// <summary>Of the card's NUMA node, or all where it has none.</summary>
    public static IReadOnlyList<int> NearCpus(HostReadings host, HostInterface one)
    {
        int[] near =
        [
            .. host.Cpus.All.Where(cpu => one.Interrupts.Node is { } node && cpu.Node == node)
                .Select(static cpu => cpu.Number),
        ];
        return near.Length > 0 ? near : [.. host.Cpus.All.Select(static cpu => cpu.Number)];
    }

    public static string? DriverOf(HostReadings host, HostInterface one) =>
        one.Name.Contains('/', StringComparison.Ordinal)
            ? null
            : host.Files.ReadLink($"sys/class/net/{one.Name}/device/driver") is { } link
                ? link[(link.LastIndexOf('/') + 1)..]
                : null;

    /// <summary>A virtual machine's card, whose queues the hypervisor grants.</summary>
    public static bool IsVirtio(HostReadings host, HostInterface one) => DriverOf(host, one) is VirtioDriver;
}
