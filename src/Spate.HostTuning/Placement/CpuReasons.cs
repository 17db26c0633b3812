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

/// <summary>Warnings about a choice of CPUs: one sentence per kind, for any number of CPUs.</summary>
internal sealed class CpuWarnings(
    CpuFacts cpus, CpuPlanOptions request, InterruptLoad load, IReadOnlyList<int> chosen)
{
    private readonly CpuLayout _layout = new(cpus);
    private readonly List<string> _warnings = [];

    public List<string> OfPlan()
    {
        Crowd();
        Quota();
        return OfChoice();
    }

    public List<string> OfChoice()
    {
        Interrupts();
        SiblingInterrupts();
        OtherEnd();
        return _warnings;
    }

    private void Crowd()
    {
        int usable = cpus.All.Count(static cpu => cpu.Usable);
        if (usable == 0)
        {
            Add("no CPU is known that this process may use: the threads are not placed");
        }
        else if (chosen.Count > usable)
        {
            Add($"{chosen.Count} threads share {Cpus(chosen)}: this process may use no more");
        }
        else if (usable == 1)
        {
            Add($"CPU {chosen[0]} is the only one that this process may use: whatever else runs takes time from it");
        }

        List<int> crowded = [.. chosen.Distinct().Where(cpu => Siblings(cpu).Any(chosen.Contains))];
        if (crowded.Count > 0) Add($"threads on {Cpus(crowded)} share cores: no core is left for each");
    }

    private void Quota()
    {
        if (cpus.QuotaCpus is { } quota && chosen.Count + request.OtherEndCpus.Count > quota)
        {
            Add($"the control group grants {quota:0.##} CPU(s) worth of time for {chosen.Count} thread(s)"
                + (request.OtherEndCpus.Count > 0 ? $" and perhaps the {request.OtherEndName}" : "")
                + ": they are stopped for part of each period (cpu.max)");
        }
    }

    private void Interrupts()
    {
        foreach (IGrouping<string, int> group in chosen.Distinct()
            .Where(cpu => load.LevelOf(cpu) > InterruptLevel.OtherDirection)
            .GroupBy(load.Describe, StringComparer.Ordinal))
        {
            Add($"{Cpus(group)} also {Verb(group, "handle")} {group.Key}: that takes time from the threads there");
        }
    }

    private void SiblingInterrupts()
    {
        foreach (IGrouping<string, (int Cpu, int Sibling)> group in chosen.Distinct()
            .Where(cpu => load.LevelOf(cpu) <= InterruptLevel.OtherDirection)
            .SelectMany(cpu => Siblings(cpu).Select(sibling => (Cpu: cpu, Sibling: sibling)))
            .Where(pair => load.LevelOf(pair.Sibling) > InterruptLevel.OtherDirection)
            .GroupBy(pair => load.Describe(pair.Sibling), StringComparer.Ordinal))
        {
            int[] own = [.. group.Select(static pair => pair.Cpu).Distinct()];
            int[] siblings = [.. group.Select(static pair => pair.Sibling).Distinct()];
            Add($"{Cpus(own)} {Verb(own, "share")} {(own.Length == 1 ? "a core" : "cores")} with {Cpus(siblings)}, "
                + $"which {Verb(siblings, "handle")} {group.Key}");
        }
    }

    private void OtherEnd()
    {
        int[] same = [.. chosen.Distinct().Where(request.OtherEndCpus.Contains)];
        int[] siblings = [.. chosen.Distinct().Except(same).Where(
            cpu => Siblings(cpu).Any(request.OtherEndCpus.Contains))];
        string verb = request.OtherEndIsExpected ? "would run with --cpu auto" : "runs";
        if (same.Length > 0)
        {
            Add($"the {request.OtherEndName} {verb} on {Cpus(same)} too: both ends share {Its(same)} time");
        }

        if (siblings.Length > 0)
        {
            IEnumerable<int> others = siblings.SelectMany(Siblings).Where(request.OtherEndCpus.Contains);
            Add($"{Cpus(siblings)} {Verb(siblings, "share")} {(siblings.Length == 1 ? "a core" : "cores")} with "
                + $"{Cpus(others)}, where the {request.OtherEndName} {verb}");
        }
    }

    private IEnumerable<int> Siblings(int cpu) => _layout.CoreOf(cpu).Where(sibling => sibling != cpu);

    private void Add(string text) => _warnings.Add(text);

    private static string Cpus(IEnumerable<int> numbers)
    {
        string list = CpuList.Format(numbers);
        return list.AsSpan().ContainsAny(',', '-') ? "CPUs " + list : "CPU " + list;
    }

    private static string Verb(IEnumerable<int> numbers, string verb) =>
        numbers.Skip(1).Any() ? verb : verb + "s";

    private static string Its(int[] numbers) => numbers.Length == 1 ? "its" : "their";
}
