using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cpus;

/// <summary>What cannot be set from within a container.</summary>
internal sealed class ContainerCheck : HostCheck
{
    private static readonly string[] OfHost =
        ["net.core.rmem_max", "net.core.wmem_max", "net.core.netdev_max_backlog", "net.ipv4.udp_mem"];

    public override string Id => "container";

    public override string Subject => "limits of a container";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        if (!host.Files.Exists("proc/sys/kernel/osrelease"))
        {
            yield return Unknown("/proc is not shown here.");
            yield break;
        }

        string found = host.Container is { } name ? CheckText.Name(name) : "no container";
        if (!new SysctlSetting(OfHost[0]).IsRefused(host.Files))
        {
            yield return Ok(found, "The limits of the host can be set here.");
            yield break;
        }

        string reason = $"{string.Join(", ", OfHost)} cannot be set here, because the kernel has one value for all "
            + "network namespaces (net/core/sysctl_net_core.c).";
        found = host.Container is null ? "a network namespace of its own" : found;
        yield return IsEnough(host, OfHost[0]) && IsEnough(host, OfHost[1])
            ? Ok(found, reason)
            : Advice(found, "the limits of buffers raised on the host", reason);
    }

    private static bool IsEnough(HostReadings host, string key) =>
        host.Files.ReadNumber(new SysctlSetting(key).Path) >= host.Needs.BufferLimitBytes;
}
