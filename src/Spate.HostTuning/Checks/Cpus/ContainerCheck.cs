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
        }
        else if (host.Container is not { } name)
        {
            yield return Ok("no container", "All settings can be made here.");
        }
        else
        {
            string settings = string.Join(", ", OfHost);
            string reason = $"In a network namespace of its own, {settings} cannot be set, because the kernel has one "
                + "value for all (net/core/sysctl_net_core.c).";
            yield return IsEnough(host, OfHost[0]) && IsEnough(host, OfHost[1])
                ? Ok(CheckText.Name(name), reason)
                : Advice(CheckText.Name(name), "the limits of buffers raised on the host", reason);
        }
    }

    private static bool IsEnough(HostReadings host, string key) =>
        host.Files.ReadNumber(new SysctlSetting(key).Path) >= host.Needs.BufferLimitBytes;
}
