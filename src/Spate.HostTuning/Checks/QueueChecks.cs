using Spate.HostTuning.Counters;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>The queues between the card and the sockets: those of the CPUs, and those to the interfaces.</summary>
internal static class QueueChecks
{
    // The kernel's default, which is enough where no counter says otherwise.
    private const long UsualBacklogPackets = 1000;
    private const long MaxBacklogPackets = 1_000_000;

    // Ten times the default of packets, and of microseconds where a jiffy is 1 ms (netdev_budget, net/core/dev.c).
    private const long MaxBudgetPackets = 3000;
    private const long MaxBudgetMicroseconds = 20_000;

    // What ESnet advises from 10 Gbit/s on.
    private const long MinQueuePackets = 10_000;
    private const long MaxQueuePackets = 100_000;

    // IFNAMSIZ of linux/if.h, less the terminating NUL (struct Qdisc_ops, net/sch_generic.h).
    private const int MaxKindLength = 15;

    private const string Fq = "fq";

    /// <summary>The queue of each CPU for packets that come from the loopback, a veth or another CPU.</summary>
    public static CheckFinding Backlog(HostReadings host)
    {
        var setting = new SysctlSetting("net.core.netdev_max_backlog");
        long dropped = host.Growth.Softnet.Dropped ?? 0;
        string why = $"{CheckText.Count(dropped)} packets found the backlog queue of a CPU full during the check "
            + "(/proc/net/softnet_stat, column 2).";
        if (host.ReadNumber(setting) is not { } packets)
        {
            return dropped > 0
                ? Problem("unknown", "a larger limit, set on the host", why, dropped)
                : Unknown($"{setting.Name} is not visible here: it belongs to the host, not to the container");
        }

        string found = $"{CheckText.Count(packets)} packets";
        if (dropped == 0)
        {
            return Ok(found, "No CPU dropped a packet during the check (/proc/net/softnet_stat, column 2).");
        }

        long more = Math.Clamp(2 * packets, UsualBacklogPackets, MaxBacklogPackets);
        CheckFinding finding = Problem(found, $"{CheckText.Count(more)} packets", why, dropped);
        return more > packets ? finding.With(HostChange.Of(setting, packets, more)) : finding;
    }

    /// <summary>How many packets, and for how long, a CPU takes from cards before it lets others run.</summary>
    public static CheckFinding Budget(HostReadings host)
    {
        var packets = new SysctlSetting("net.core.netdev_budget");
        var microseconds = new SysctlSetting("net.core.netdev_budget_usecs");
        long squeezed = host.Growth.Softnet.Squeezed ?? 0;
        string why = $"{CheckText.Count(squeezed)} times a CPU stopped receiving while packets waited, because its "
            + "budget was used up (/proc/net/softnet_stat, column 3).";
        if (host.ReadNumber(packets) is not (> 0 and <= int.MaxValue and var packetBudget)
            || host.ReadNumber(microseconds) is not (> 0 and <= int.MaxValue and var timeBudget))
        {
            return squeezed > 0
                ? Problem("unknown", "larger budgets, set on the host", why, squeezed)
                : NotShown(packets);
        }

        string found = Text(packetBudget, timeBudget);
        if (squeezed == 0)
        {
            return Ok(found, "No CPU used up its budget during the check (/proc/net/softnet_stat, column 3).");
        }

        long morePackets = Math.Max(packetBudget, Math.Min(2 * packetBudget, MaxBudgetPackets));
        long moreTime = Math.Max(timeBudget, Math.Min(2 * timeBudget, MaxBudgetMicroseconds));
        bool isChanged = morePackets > packetBudget || moreTime > timeBudget;
        string wanted = isChanged ? Text(morePackets, moreTime) : "the load on more CPUs";
        return Problem(found, wanted, why, squeezed).With(
        [
            .. morePackets > packetBudget ? [HostChange.Of(packets, packetBudget, morePackets)] : NoChange,
            .. moreTime > timeBudget ? [HostChange.Of(microseconds, timeBudget, moreTime)] : NoChange,
        ]);

        static string Text(long packets, long microseconds) =>
            $"{CheckText.Count(packets)} packets, {CheckText.Count(microseconds)} microseconds";
    }

    /// <summary>What the queueing discipline of an interface drops.</summary>
    public static CheckFinding? Drops(HostReadings host, HostInterface one)
    {
        QueueCounters? root = host.Growth.Queues.FirstOrDefault(
            queue => queue.IsRoot && string.Equals(queue.Interface, one.ShownName, StringComparison.Ordinal));
        if (root?.Drops is not { } drops) return null;
        if (drops == 0) return Ok(root.Kind, $"It dropped nothing {CheckText.Meanwhile} (tc -s qdisc).");

        string why = $"It dropped {CheckText.Count(drops)} packets {CheckText.Meanwhile} (tc -s qdisc): senders exceed "
            + "its rate or limit.";
        if (ReadLength(host, one) is { IsUsed: true } length)
        {
            long more = Math.Clamp(2 * length.Packets, MinQueuePackets, MaxQueuePackets);
            CheckFinding longer = Problem(
                $"{root.Kind} for {CheckText.Count(length.Packets)} packets",
                $"{CheckText.Count(more)} packets",
                why,
                drops);
            return more > length.Packets
                ? longer.With(HostChange.Of(length.Setting, length.Packets, more))
                : longer;
        }

        bool isShared = root.Kind is Fq or "fq_codel" or "mq" or "cake";
        return Problem(
            root.Kind,
            isShared ? "senders that keep to the rate of the link" : "a higher rate or limit, or another qdisc",
            isShared
                ? why + " It drops to keep the queue short, so a longer queue does not help."
                : why + " It has options that spate tune could not restore, so spate tune leaves it alone.",
            drops);
    }

    /// <summary>How many packets may wait for an interface.</summary>
    public static CheckFinding? Length(HostReadings host, HostInterface one)
    {
        if (ReadLength(host, one) is not { } length) return null;

        string found = $"{CheckText.Count(length.Packets)} packets";
        if (!length.IsUsed) return Ok(found, "The qdisc has its own limit.");
        if (!host.Needs.IsFast || length.Packets >= MinQueuePackets)
        {
            return Ok(found, "The profile needs no longer queue, as long as qdisc-drops sees no drops.");
        }

        return BelowNeed(
            found,
            $"{CheckText.Count(MinQueuePackets)} packets",
            "Bursts fill a short pfifo_fast within a millisecond (ESnet advises 10,000 from 10 Gbit/s on).")
            .With(HostChange.Of(length.Setting, length.Packets, MinQueuePackets));
    }

    /// <summary>The queueing discipline that interfaces get by themselves.</summary>
    public static CheckFinding DefaultKind(HostReadings host)
    {
        const string Why =
            "Only fq sends at the times and rates that a socket requests with SO_TXTIME and SO_MAX_PACING_RATE "
            + "(tc-fq(8)).";
        var setting = new SysctlSetting("net.core.default_qdisc");
        string? found = setting.Read(host.Request.RootPath);
        if (found is null || found.Length > MaxKindLength
            || !found.All(static one => char.IsAsciiLetterOrDigit(one) || one is '_'))
        {
            return NotShown(setting);
        }

        if (found is Fq) return Ok(found, Why);
        if (!host.Needs.IsFast) return Ok(found, $"This profile needs no pacing. {Why}");

        return HasFq(host) switch
        {
            true => Advice(found, Fq, Why + " Interfaces with several queues get it when they are created again.")
                .With([.. Roots(host, found), new HostChange(setting, found, Fq)]),
            false => Ok(found, $"This kernel has no sch_fq. {Why}"),
            null => Unknown($"It is unknown whether this kernel has sch_fq. {Why}"),
        };
    }

    private static HostChange[] NoChange => [];

    // The limit of disciplines that have none of their own; of the kernel's, pfifo_fast heeds it. The kernel takes any
    // 32 bits.
    private static (FileSetting Setting, long Packets, bool IsUsed)? ReadLength(HostReadings host, HostInterface one)
    {
        var setting = new FileSetting($"sys/class/net/{one.Name}/tx_queue_len");
        bool isPath = !one.Name.Contains('/', StringComparison.Ordinal);
        if (!isPath || host.ReadNumber(setting) is not (>= 0 and <= int.MaxValue and var packets)) return null;

        string root = new QueueSetting(one.Name).Read(host.Request.RootPath) ?? "";
        return (setting, packets, root.Split(' ').Contains("pfifo_fast", StringComparer.Ordinal));
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
                yield return new HostChange(root, found, Fq);
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
