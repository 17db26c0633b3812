using System.Globalization;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interrupts;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cpus;

/// <summary>The CPUs that handle the interrupts of a card's queues.</summary>
internal sealed class InterruptCpuCheck : HostCheck
{
    public override string Id => "interrupt-cpus";

    public override string Subject => "CPUs that handle the card's interrupts";

    public override IEnumerable<CheckFinding> Examine(HostReadings host) => host.Interfaces
        .Where(static one => one.Interrupts.DeviceNames.Count > 0)
        .Select(one => OfInterface(host, one.Interrupts) with { Interface = one.Name });

    private CheckFinding OfInterface(HostReadings host, InterfaceInterrupts card)
    {
        IReadOnlyList<int> taken = card.CpuNumbers;
        if (taken.Count == 0) return Unknown("The system shows no interrupts of this device (/proc/irq).");

        int[] near = [.. host.Cpus.All.Where(cpu => cpu.Node == card.Node).Select(static cpu => cpu.Number)];
        string found = $"{CheckText.Plural(card.Interrupts.Count, "interrupt")} on CPUs {CpuList.Format(taken)}";
        if (near.Length > 0 && taken.Any(cpu => !near.Contains(cpu)))
        {
            return Spread(
                host,
                card,
                near,
                Advice(
                    found,
                    $"CPUs of node {card.Node}: {CpuList.Format(near)}",
                    "An interrupt on another node than the card's takes each packet across the link between the "
                        + "sockets (ESnet, interrupt binding)."));
        }

        int[] targets = near.Length > 0 ? near : [.. host.Cpus.All.Select(static cpu => cpu.Number)];
        IReadOnlyList<int> usable = host.Cpus.UsableNumbers;
        if (taken.Count == 1 && targets.Length > 1 && ReceivingCount(card) > 1)
        {
            return Spread(
                host,
                card,
                targets,
                Advice(
                    found,
                    "a CPU for each queue",
                    "One CPU takes the packets of all queues and is the limit of them all (scaling.rst)."));
        }

        if (usable.Count > 0 && usable.Count < host.Cpus.All.Count && usable.All(taken.Contains)
            && targets.Any(cpu => !taken.Contains(cpu)))
        {
            string free = CpuList.Format(targets.Where(cpu => !taken.Contains(cpu)));
            return Advice(
                $"{found}, and this process may use no CPU but these",
                $"this process on CPUs {free}",
                "A program that shares its CPU with the card's interrupts waits while they are handled (ESnet, UDP "
                    + "tuning).") with
            { Command = $"taskset -c {free} PROGRAM" };
        }

        return Ok(found, "No interrupt is on another node than the card, and several queues do not share one CPU.");
    }

    private static int ReceivingCount(InterfaceInterrupts card) =>
        card.Interrupts.Count(static one => one.Direction != InterruptDirection.Send);

    // Interrupts go round the CPUs, so that queue n has the n-th of them. What is refused to be read stays as it is.
    private static CheckFinding Spread(
        HostReadings host, InterfaceInterrupts card, int[] cpus, CheckFinding finding)
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

        return finding.With(changes);
    }
}
