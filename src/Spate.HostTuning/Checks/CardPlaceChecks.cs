using System.Globalization;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interrupts;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>The place of a card in the machine: which CPUs, node and memory it works with.</summary>
internal static class CardPlaceChecks
{
    private const string IommuFolder = "sys/class/iommu";

    /// <summary>The CPUs that handle the interrupts of a card's queues.</summary>
    public static IEnumerable<CheckFinding> InterruptCpus(HostReadings host) =>
        host.EachCard(one => InterruptsOf(host, one.Interrupts));

    /// <summary>The NUMA node of a card against the CPUs that this process may use.</summary>
    public static IEnumerable<CheckFinding> Node(HostReadings host)
    {
        int[] nodes = [.. host.Cpus.All.Select(static cpu => cpu.Node).OfType<int>().Distinct().Order()];
        if (nodes.Length == 0) return [Unknown("The system shows no NUMA nodes (/sys/devices/system/node).")];

        return nodes.Length == 1
            ? [Ok("1 node", "All CPUs are on the node of the NIC.")]
            : host.EachCard(one => NodeOf(one, host.Cpus, nodes.Length));
    }

    /// <summary>Whether the card's accesses to memory are translated.</summary>
    public static IEnumerable<CheckFinding> Iommu(HostReadings host)
    {
        if (!host.Files.DirectoryExists(IommuFolder)) return [Unknown($"/{IommuFolder} is not visible here.")];

        return host.Files.ListNames(IommuFolder, maxCount: 1).Count == 0
            ? [Ok("none", "No IOMMU translates the NIC's memory accesses.")]
            : host.EachCard(one => IommuOf(host, one));
    }

    private static CheckFinding InterruptsOf(HostReadings host, InterfaceInterrupts card)
    {
        IReadOnlyList<int> taken = card.CpuNumbers;
        if (taken.Count == 0) return Unknown("The system lists no interrupts of this device (/proc/irq).");

        int[] near = [.. host.Cpus.All.Where(cpu => cpu.Node == card.Node).Select(static cpu => cpu.Number)];
        string found = $"{CheckText.Plural(card.Interrupts.Count, "interrupt")} on CPUs {CpuList.Format(taken)}";
        if (near.Length > 0 && taken.Any(cpu => !near.Contains(cpu)))
        {
            return Advice(
                found,
                $"CPUs of node {card.Node}: {CpuList.Format(near)}",
                "An interrupt on another node than the NIC's moves each packet across the link between the CPU sockets "
                    + "(ESnet, interrupt binding).").With(Spread(host, card, near));
        }

        int[] targets = near.Length > 0 ? near : [.. host.Cpus.All.Select(static cpu => cpu.Number)];
        IReadOnlyList<int> usable = host.Cpus.UsableNumbers;
        if (taken.Count == 1 && targets.Length > 1
            && card.Interrupts.Count(static one => one.Direction != InterruptDirection.Send) > 1)
        {
            return Advice(
                found,
                "a CPU for each queue",
                "One CPU handles the packets of all queues and limits them (scaling.rst).")
                .With(Spread(host, card, targets));
        }

        if (usable.Count > 0 && usable.Count < host.Cpus.All.Count && usable.All(taken.Contains)
            && targets.Any(cpu => !taken.Contains(cpu)))
        {
            string free = CpuList.Format(targets.Where(cpu => !taken.Contains(cpu)));
            return Advice(
                $"{found}, and this process may use only these CPUs",
                $"this process on CPUs {free}",
                "A program that shares its CPU with the NIC's interrupts waits while they are handled (ESnet, UDP "
                    + "tuning).") with
            { Command = $"taskset -c {free} PROGRAM" };
        }

        return Ok(found, "No interrupt is on another node than the NIC, and no CPU handles all of several queues.");
    }

    // Interrupts go round the CPUs, so that queue n has the n-th of them. What is refused to be read stays as it is.
    private static List<HostChange> Spread(HostReadings host, InterfaceInterrupts card, int[] cpus)
    {
        var changes = new List<HostChange>();
        for (int i = 0; i < card.Interrupts.Count; i++)
        {
            var setting = new FileSetting($"proc/irq/{card.Interrupts[i].Number}/smp_affinity_list");
            string wanted = cpus[i % cpus.Length].ToString(CultureInfo.InvariantCulture);
            if (CpuList.TryParse(setting.Read(host.Request.RootPath), out IReadOnlyList<int> now) && now.Count > 0
                && CpuList.Format(now) is var before
                && !string.Equals(before, wanted, StringComparison.Ordinal))
            {
                changes.Add(new HostChange(setting, before, wanted));
            }
        }

        return changes;
    }

    private static CheckFinding NodeOf(HostInterface one, CpuFacts cpus, int nodeCount)
    {
        if (one.Interrupts.Node is not { } node)
        {
            return Unknown("The firmware reports no node for its device, or its devices are on several.");
        }

        string near = CpuList.Format(cpus.All.Where(cpu => cpu.Node == node).Select(static cpu => cpu.Number));
        return cpus.All.Any(cpu => cpu.Usable && cpu.Node == node)
            ? Ok(
                $"node {node} of {nodeCount}, CPUs {near}",
                "This process may use CPUs of the NIC's node: pin the threads of a program there "
                    + "(spate: --cpu auto).")
            : Advice(
                $"NIC on node {node}, this process on CPUs {CpuList.Format(cpus.UsableNumbers)} of other nodes",
                $"CPUs {near}",
                "On another node than the NIC's, each packet crosses the link between CPU sockets, which halves the "
                    + "rate on some hosts (ESnet, interrupt binding).") with
            { Command = $"taskset -c {near} PROGRAM" };
    }

    private static CheckFinding IommuOf(HostReadings host, HostInterface one)
    {
        // What the kernel uses for this card (iommu/dma-iommu); the command line is only what was asked for.
        return host.ReadDevice(one, device => host.Files.ReadLine(device + "/iommu_group/type")) switch
        {
            "identity" => Ok("passed through", "The NIC's memory accesses are not translated."),
            "DMA" or "DMA-FQ" when host.Needs.Profile
                is HostProfile.FortyGigabit or HostProfile.HundredGigabit => Advice(
                "translated",
                "passed through",
                "Each buffer of the NIC is mapped and unmapped, which costs up to 40 % of the rate; the IOMMU also "
                    + "keeps a faulty NIC from other memory (ESnet, 100G tuning).") with
                {
                    Command = "grubby --update-kernel=ALL --args=iommu=pt    # or GRUB_CMDLINE_LINUX; then reboot",
                    Undo = "grubby --update-kernel=ALL --remove-args=iommu=pt",
                },
            "DMA" or "DMA-FQ" => Ok("translated", "The cost matters from 40 Gbit/s on (ESnet, 100G tuning)."),
            _ => Unknown("The system does not report the IOMMU mode of this NIC (iommu_group/type)."),
        };
    }
}
