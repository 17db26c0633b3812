using Spate.HostTuning.Reading.Cpus;

namespace Spate.HostTuning.Checks.Cpus;

/// <summary>The NUMA node of a card against the CPUs that this process may use.</summary>
internal sealed class NodeCheck : HostCheck
{
    private const string Why =
        "On another node than the card's, each packet crosses the link between the sockets, which halves the rate on "
        + "some hosts (ESnet, interrupt binding).";

    public override string Id => "numa-node";

    public override string Subject => "NUMA node of the card and of this process";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        int[] nodes = [.. host.Cpus.All.Select(static cpu => cpu.Node).OfType<int>().Distinct().Order()];
        if (nodes.Length == 0) return [Unknown("The system shows no NUMA nodes (/sys/devices/system/node).")];

        return nodes.Length == 1
            ? [Ok("1 node", "All CPUs are on the node of the card.")]
            : host.Interfaces.Where(static one => one.Interrupts.DeviceNames.Count > 0)
                .Select(one => OfInterface(one, host.Cpus, nodes.Length) with { Interface = one.Name });
    }

    private CheckFinding OfInterface(HostInterface one, CpuFacts cpus, int nodeCount)
    {
        if (one.Interrupts.Node is not { } node)
        {
            return Unknown("Its device names no node, or its devices are on several: the firmware does not tell.");
        }

        string near = CpuList.Format(cpus.All.Where(cpu => cpu.Node == node).Select(static cpu => cpu.Number));
        if (cpus.All.Any(cpu => cpu.Usable && cpu.Node == node))
        {
            return Ok(
                $"node {node} of {nodeCount}, CPUs {near}",
                "This process may use CPUs of the card's node: pin the threads of a program there "
                    + "(spate: --cpu auto).");
        }

        return Advice(
            $"card on node {node}, this process on CPUs {CpuList.Format(cpus.UsableNumbers)} of other nodes",
            $"CPUs {near}",
            Why) with
        { Command = $"taskset -c {near} PROGRAM" };
    }
}
