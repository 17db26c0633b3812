using System.Globalization;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Queues;

/// <summary>The limit of disciplines that have none of their own; of the kernel's, pfifo_fast heeds it.</summary>
internal sealed record QueueLength(HostSetting Setting, long Packets, bool IsUsed)
{
    /// <summary>What ESnet advises from 10 Gbit/s on.</summary>
    public const long MinPackets = 10_000;

    // The kernel takes any 32 bits.
    private const long MaxPackets = int.MaxValue;

    public static QueueLength? Of(HostReadings host, HostInterface one)
    {
        var setting = new FileSetting($"sys/class/net/{one.Name}/tx_queue_len");
        bool isPath = !one.Name.Contains('/', StringComparison.Ordinal);
        if (!isPath || host.Files.ReadNumber(setting.Path) is not (>= 0 and <= MaxPackets and var packets)) return null;

        string root = new QueueSetting(one.Name).Read(host.Request.RootPath) ?? "";
        return new QueueLength(setting, packets, root.Split(' ').Contains("pfifo_fast", StringComparer.Ordinal));
    }

    public HostChange To(long packets) => new(
        Setting, Packets.ToString(CultureInfo.InvariantCulture), packets.ToString(CultureInfo.InvariantCulture));
}
