using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cards;

/// <summary>Which CPUs take packets from the queues of a card (RPS), and which queue a CPU sends by (XPS).</summary>
internal sealed class SteeringCheck : InterfaceCheck
{
    private const int MaxQueues = 1024;

    public override string Id => "steering";

    public override string Subject => "steering of packets between CPUs";

    protected override CheckFinding? Examine(HostReadings host, HostInterface one)
    {
        if (one.Name.Contains('/', StringComparison.Ordinal) || one.Interrupts.DeviceNames.Count == 0) return null;

        IReadOnlyList<QueueMask> receive = Read(host, one, "rx-", "rps_cpus");
        IReadOnlyList<QueueMask> send = Read(host, one, "tx-", "xps_cpus");
        if (receive.Count == 0 && send.Count == 0) return null;

        IReadOnlyList<int> near = CardQueues.NearCpus(host, one);
        return ExamineSending(send, host.Cpus.All.Count)
            ?? ExamineReceiving(receive, near, isAlone: host.Needs.IsFast && one.Link.ReceiveQueues == 1)
            ?? Ok(
                $"RPS {SwitchText.Of(receive.Any(static queue => queue.IsSet))}, "
                    + $"XPS {SwitchText.Of(send.Any(static queue => queue.IsSet))}",
                "Steering suits the number of queues (scaling.rst of the kernel).");
    }

    private static List<QueueMask> Read(HostReadings host, HostInterface one, string prefix, string file)
    {
        string folder = $"sys/class/net/{one.Name}/queues";
        var masks = new List<QueueMask>();
        foreach (string queue in host.Files.ListNames(folder, MaxQueues).Order(StringComparer.Ordinal))
        {
            string path = $"{folder}/{queue}/{file}";
            if (queue.StartsWith(prefix, StringComparison.Ordinal) && host.Files.ReadLine(path) is { } text
                && CpuList.TryParseMask(text, out IReadOnlyList<int> cpus))
            {
                masks.Add(new QueueMask(new CpuMaskSetting(path), text, cpus.Count > 0));
            }
        }

        return masks;
    }

    private static HostChange[] Clear(IEnumerable<QueueMask> queues) =>
    [
        .. queues.Where(static queue => queue.IsSet)
            .Select(static queue => new HostChange(queue.Setting, queue.Text, CpuMaskSetting.None)),
    ];

    // A map that uses some of the queues only makes the CPUs share these. Without any, a hash chooses among all.
    private CheckFinding? ExamineSending(IReadOnlyList<QueueMask> queues, int cpus)
    {
        int used = queues.Count(static queue => queue.IsSet);
        return used == 0 || used >= Math.Min(queues.Count, cpus)
            ? null
            : Advice(
                $"XPS uses {used} of {queues.Count} queues",
                "no XPS, so that all are used",
                "The map of CPUs to queues leaves queues unused, so that senders share the others "
                    + "(scaling.rst of the kernel, XPS).")
                .With(Clear(queues));
    }

    private CheckFinding? ExamineReceiving(IReadOnlyList<QueueMask> queues, IReadOnlyList<int> near, bool isAlone)
    {
        bool isOn = queues.Any(static queue => queue.IsSet);
        if (isOn && queues.Count > 1 && queues.Count >= near.Count)
        {
            return Advice(
                $"RPS on {queues.Count} queues for {near.Count} CPUs",
                "no RPS",
                "With a queue for each CPU, passing packets to other CPUs only costs time "
                    + "(scaling.rst of the kernel, RPS).")
                .With(Clear(queues));
        }

        if (isOn || !isAlone || queues.Count != 1 || near.Count < 2) return null;

        return Advice(
            $"RPS off, 1 queue for {near.Count} CPUs",
            "RPS to these CPUs",
            "One CPU takes all arrivals; where the card has no more queues (queue-count), the kernel can pass flows to "
                + "others (scaling.rst of the kernel, RPS).")
            .With(new HostChange(queues[0].Setting, queues[0].Text, CpuList.FormatMask(near)));
    }

    private sealed record QueueMask(CpuMaskSetting Setting, string Text, bool IsSet);
}
