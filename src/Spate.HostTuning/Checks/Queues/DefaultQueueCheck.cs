using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Queues;

/// <summary>The queueing discipline that interfaces get by themselves.</summary>
internal sealed class DefaultQueueCheck : HostCheck
{
    // IFNAMSIZ of linux/if.h, less the terminating NUL (struct Qdisc_ops, net/sch_generic.h).
    private const int MaxKindLength = 15;

    private const string Wanted = "fq";
    private const string Why =
        "Only fq sends at the times and rates that a socket asks for, by SO_TXTIME and SO_MAX_PACING_RATE (tc-fq(8)).";

    public override string Id => "default-qdisc";

    public override string Subject => "queueing discipline of new interfaces";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        var setting = new SysctlSetting("net.core.default_qdisc");
        string? found = setting.Read(host.Request.RootPath);
        if (found is null || found.Length > MaxKindLength
            || !found.All(static one => char.IsAsciiLetterOrDigit(one) || one is '_'))
        {
            yield return Unknown($"{setting.Name} is not shown here: it belongs to the host, not to the container.");
        }
        else if (found is Wanted || !host.Needs.IsFast)
        {
            yield return Ok(found, found is Wanted ? Why : $"This profile needs no pacing. {Why}");
        }
        else
        {
            yield return HasFq(host) switch
            {
                true => Advice(found, Wanted, Why + " Interfaces of several queues get it when they are made again.")
                    .With([.. Roots(host, found), new HostChange(setting, found, Wanted)]),
                false => Ok(found, $"This kernel has no sch_fq. {Why}"),
                null => Unknown($"Nothing here tells whether this kernel has sch_fq. {Why}"),
            };
        }
    }

    // The kernel brings back the default one when another one is removed, so a root is replaced only where the default
    // will be what it is now.
    private static IEnumerable<HostChange> Roots(HostReadings host, string kind)
    {
        foreach (HostInterface one in host.Interfaces)
        {
            var root = new QueueSetting(one.Name);
            if (root.Read(host.Request.RootPath) is { } found && root.IsSame(found, QueueSetting.DefaultOf(kind)))
            {
                yield return new HostChange(root, found, Wanted);
            }
        }
    }

    private static bool? HasFq(HostReadings host)
    {
        string? release = host.Files.ReadLine("proc/sys/kernel/osrelease");
        if (release is null || release.Contains('/') || release.Contains("..", StringComparison.Ordinal)) return null;

        string folder = $"lib/modules/{release}";
        if (!host.Files.Exists($"{folder}/modules.dep")) return null;

        return host.Files.ReadLines($"{folder}/modules.builtin")
            .Concat(host.Files.ReadLines($"{folder}/modules.dep"))
            .Any(static line => line.Split(':')[0].Contains("/sch_fq.ko", StringComparison.Ordinal));
    }
}
