using Spate.HostTuning.Reading.Cpus;

namespace Spate.HostTuning.Placement;

/// <summary>Says in one clause why a CPU was chosen.</summary>
internal sealed class CpuReasons(CpuPlanOptions request, InterruptLoad load, IReadOnlyList<int> anchors)
{
    public string For(CpuCandidate chosen)
    {
        bool isTold = request.IsLoopback && IsOfOtherEnd(chosen);
        string shared = chosen.ThreadCount > 1 && !isTold ? ", with other threads of the test: no CPU is left" : "";
        return (request.IsLoopback ? OnLoopback(chosen)
            : load.CpuNumbers.Any() ? NearInterrupts(chosen)
            : WithoutInterrupts(chosen)) + shared;
    }

    private string OnLoopback(CpuCandidate chosen)
    {
        const string Start = "the loopback has no interrupts";
        if (request.OtherEndCpus.Count == 0)
        {
            return $"{Start}; among equal CPUs "
                + (request.IsReceiver ? "receivers take the last" : "senders take the first");
        }

        string other = request.OtherEndIsExpected
            ? $"where a {request.OtherEndName} with --cpu auto runs"
            : $"where the {request.OtherEndName} runs";
        string relation = IsOfOtherEnd(chosen) ? "no CPU is left beside" : Relation(chosen.Distance);
        return $"{Start}; {relation} CPU {CpuList.Format(request.OtherEndCpus)}, {other}";
    }

    private bool IsOfOtherEnd(CpuCandidate chosen) => request.OtherEndCpus.Contains(chosen.Number);

    private string NearInterrupts(CpuCandidate chosen)
    {
        string own = chosen.Level switch
        {
            InterruptLevel.None => "serves none of them",
            InterruptLevel.OtherDirection when request.IsReceiver => "serves only those for sending",
            InterruptLevel.OtherDirection => "serves only those for receiving",
            InterruptLevel.Steered => "takes arrivals by RPS but no interrupts",
            _ => "no CPU without interrupts is left",
        };
        return chosen.Distance is CpuDistance.SameCpu
            ? $"serves interrupts of {request.InterfaceNames} itself: {own}"
            : $"{Relation(chosen.Distance)} the interrupts of {request.InterfaceNames} "
                + $"(CPU {CpuList.Format(anchors)}), {own}";
    }

    private string WithoutInterrupts(CpuCandidate chosen)
    {
        if (request.Interfaces.Count == 0)
        {
            return "no interface is known for this address; "
                + (request.IsReceiver ? "receivers take the last CPU" : "senders take the first CPU");
        }

        string names = request.InterfaceNames;
        int[] nodes = [.. request.Interfaces.Select(static network => network.Node).OfType<int>().Distinct()];
        string unseen = $"the interrupts of {names} cannot be seen here";
        return nodes.Length == 0 ? unseen
            : chosen.Distance is CpuDistance.OtherNode
                ? $"{unseen}; no CPU of its NUMA node {CpuList.Format(nodes)} is left"
                : $"{unseen}; on its NUMA node {CpuList.Format(nodes)}";
    }

    private static string Relation(CpuDistance? distance) => distance switch
    {
        CpuDistance.SameCpu => "on the same CPU as",
        CpuDistance.SameCore => "on the core of",
        CpuDistance.SameCache => "same last-level cache as",
        CpuDistance.OtherNode => "on another NUMA node than",
        _ => "same NUMA node as",
    };
}
