using System.Globalization;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Sockets;

/// <summary>The largest buffer that a program without privileges gets.</summary>
/// <param name="isReceive">Whether it is the receive buffer.</param>
internal sealed class BufferLimitCheck(bool isReceive) : HostCheck
{
    public override string Id => isReceive ? "rmem-max" : "wmem-max";

    public override string Subject => isReceive ? "largest receive buffer" : "largest send buffer";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        var setting = new SysctlSetting(isReceive ? "net.core.rmem_max" : "net.core.wmem_max");
        if (!long.TryParse(setting.Read(host.Request.RootPath), CultureInfo.InvariantCulture, out long bytes))
        {
            // Only the first network namespace shows it (net/core/sysctl_net_core.c).
            yield return Unknown($"{setting.Name} is not shown here: it belongs to the host, not to the container");
            yield break;
        }

        string found = CheckText.Bytes(bytes);
        long need = host.Needs.BufferLimitBytes;
        long lost = LostIn(host.Growth);
        if (bytes >= need)
        {
            yield return Ok(found, $"A program may ask for as much as the profile needs ({CheckText.Bytes(need)}).");
            yield break;
        }

        string wanted = CheckText.Bytes(need);
        string why = isReceive
            ? "A reader that pauses loses what does not fit into its buffer, and without privileges the kernel grants "
                + "no more than this (socket(7), SO_RCVBUF)."
            : "A sender with a small buffer is stopped, or refused, by each queue below it (socket(7), SO_SNDBUF).";
        CheckFinding finding = lost > 0
            ? Problem(found, wanted, $"{CheckText.Count(lost)} datagrams found a full buffer while this looked. {why}", lost)
            : BelowNeed(found, wanted, why);
        yield return finding.With(new HostChange(
            setting,
            bytes.ToString(CultureInfo.InvariantCulture),
            need.ToString(CultureInfo.InvariantCulture)));
    }

    private long LostIn(NetworkCounters growth) => isReceive
        ? (growth.Udp4.RcvbufErrors ?? 0) + (growth.Udp6.RcvbufErrors ?? 0)
        : (growth.Udp4.SndbufErrors ?? 0) + (growth.Udp6.SndbufErrors ?? 0);
}
