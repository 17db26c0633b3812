using System.Globalization;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Queues;

/// <summary>The queue of each CPU that packets wait in which come from the loopback, a veth or another CPU.</summary>
internal sealed class BacklogCheck : HostCheck
{
    private const long MaxPackets = 1_000_000;

    public override string Id => "netdev-max-backlog";

    public override string Subject => "backlog queue of the CPUs";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        var setting = new SysctlSetting("net.core.netdev_max_backlog");
        long dropped = host.Growth.Softnet.Dropped ?? 0;
        if (!long.TryParse(setting.Read(host.Request.RootPath), CultureInfo.InvariantCulture, out long packets))
        {
            yield return dropped > 0
                ? Problem("unknown", "a larger limit, set on the host", Why(dropped), dropped)
                : Unknown($"{setting.Name} is not shown here: it belongs to the host, not to the container");
            yield break;
        }

        string found = $"{CheckText.Count(packets)} packets";
        if (dropped == 0)
        {
            yield return Ok(found, "No CPU dropped a packet while this looked (/proc/net/softnet_stat, column 2).");
            yield break;
        }

        long more = Math.Clamp(2 * packets, host.Needs.BacklogPackets, MaxPackets);
        CheckFinding finding = Problem(found, $"{CheckText.Count(more)} packets", Why(dropped), dropped);
        yield return more > packets
            ? finding.With(new HostChange(
                setting,
                packets.ToString(CultureInfo.InvariantCulture),
                more.ToString(CultureInfo.InvariantCulture)))
            : finding;
    }

    private static string Why(long dropped) =>
        $"{CheckText.Count(dropped)} packets found the backlog queue of a CPU full while this looked "
        + "(/proc/net/softnet_stat, column 2).";
}
