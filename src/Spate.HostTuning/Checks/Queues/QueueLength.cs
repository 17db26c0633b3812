using System.Globalization;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Queues;

/// <summary>
/// How many packets may wait for an interface, where its queueing discipline has no limit of its own. <c>IsUsed</c>:
/// whether the discipline heeds it: of those that the kernel makes, pfifo_fast does.
/// </summary>
internal sealed record QueueLength(HostSetting Setting, long Packets, bool IsUsed)
{
    /// <summary>What ESnet advises from 10 Gbit/s on.</summary>
    public const long MinPackets = 10_000;

    // The kernel takes any 32 bits.
    private const long MaxPackets = int.MaxValue;

    /// <summary>The limit of an interface; null where the system does not tell.</summary>
    public static QueueLength? Of(HostReadings host, HostInterface one)
    {
        var setting = new FileSetting($"sys/class/net/{one.Name}/tx_queue_len");
        bool isPath = !one.Name.Contains('/', StringComparison.Ordinal);
        if (!isPath || host.Files.ReadNumber(setting.Path) is not (>= 0 and <= MaxPackets and var packets)) return null;

        string root = new QueueSetting(one.Name).Read(host.Request.RootPath) ?? "";
        return new QueueLength(setting, packets, root.Split(' ').Contains("pfifo_fast", StringComparer.Ordinal));
    }

    /// <summary>The change to another limit.</summary>
    public HostChange To(long packets) => new(
        Setting, Packets.ToString(CultureInfo.InvariantCulture), packets.ToString(CultureInfo.InvariantCulture));
}
