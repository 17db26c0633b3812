using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.HostTuning.Placement;

internal sealed record PlannedCpu(int Number, string Why);

/// <summary>
/// Which CPU each thread of a test runs on, and why. A pure function of facts: the same facts give the same plan. Each
/// thread gets the best CPU that is left, by these questions in turn: does another thread of the test run there; does
/// it serve the interface's interrupts; does a thread of the test run on its core; is it on the interrupts' NUMA node;
/// is it a slow core of a machine that has fast ones; does its core serve interrupts; does it share the last-level
/// cache with the interrupts. Among equals a sender takes the first and a receiver the last, so that both ends of a
/// test on one machine use different CPUs.
/// </summary>
internal sealed record CpuPlan
{
    /// <summary>One entry per thread, in order; empty when this process has no CPU that it may use.</summary>
    public required IReadOnlyList<PlannedCpu> Threads { get; init; }

    /// <summary>What the plan could not avoid, one sentence each.</summary>
    public required IReadOnlyList<string> Warnings { get; init; }

    /// <summary>More threads than CPUs share them evenly.</summary>
    public static CpuPlan Make(CpuFacts cpus, CpuPlanOptions request)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(request.ThreadCount, 1);
        var load = new InterruptLoad(request);
        var ranking = new CpuRanking(cpus, request, load);
        var reasons = new CpuReasons(request, load, ranking.Anchors);
        var threads = new List<PlannedCpu>();
        for (int i = 0; i < request.ThreadCount && ranking.Candidates.Count > 0; i++)
        {
            CpuCandidate chosen = ranking.Take();
            threads.Add(new PlannedCpu(chosen.Number, reasons.For(chosen)));
        }

        var warnings = new CpuWarnings(cpus, request, load, [.. threads.Select(static thread => thread.Number)]);
        return new CpuPlan { Threads = threads, Warnings = warnings.OfPlan() };
    }

    /// <summary>For CPUs that the user named: a sentence for each clash with interrupts or the other end.</summary>
    public static IReadOnlyList<string> Review(CpuFacts cpus, CpuPlanOptions request, IReadOnlyList<int> numbers) =>
        new CpuWarnings(cpus, request, new InterruptLoad(request), numbers).OfChoice();
}

/// <summary>What <see cref="CpuPlan"/> needs to know about the threads to place.</summary>
internal sealed record CpuPlanOptions
{
    public required int ThreadCount { get; init; }

    public required bool IsReceiver { get; init; }

    /// <summary>All traffic stays on the loopback, which has no interrupts.</summary>
    public bool IsLoopback { get; init; }

    public IReadOnlyList<InterfaceInterrupts> Interfaces { get; init; } = [];

    /// <summary>The CPUs of the other end's threads, where that end is this machine.</summary>
    public IReadOnlyList<int> OtherEndCpus { get; init; } = [];

    /// <summary><c>--cpu auto</c> would place the other end there; otherwise its threads were seen there.</summary>
    public bool OtherEndIsExpected { get; init; }

    internal string OtherEndName => IsReceiver ? "sender" : "receiver";

    internal string InterfaceNames => string.Join(", ", Interfaces.Select(static network => network.Name));
}

/// <summary>Both ends, near each other's cache. The receiver is placed first, since it is the slower end.</summary>
internal sealed record LoopbackPlan(CpuPlan Sender, CpuPlan Receivers)
{
    private const string Named = "as requested";

    /// <summary>CPUs that are named are not checked; null chooses one.</summary>
    public static LoopbackPlan Make(
        CpuFacts cpus, int receiverCount = 1, int? senderCpu = null, int? receiverCpu = null)
    {
        CpuPlan receivers = receiverCpu is { } receiver
            ? Fixed(receiver)
            : CpuPlan.Make(cpus, Request(receiverCount, isReceiver: true, senderCpu is { } other ? [other] : []));
        CpuPlan sender = senderCpu is { } named
            ? Fixed(named)
            : CpuPlan.Make(cpus, Request(1, isReceiver: false, NumbersOf(receivers)));
        return new LoopbackPlan(sender, receivers);
    }

    public static IReadOnlyList<string> Review(CpuFacts cpus, int senderCpu, IReadOnlyList<int> receiverCpus) =>
        CpuPlan.Review(cpus, Request(1, isReceiver: false, receiverCpus), [senderCpu]);

    private static CpuPlanOptions Request(int threadCount, bool isReceiver, IReadOnlyList<int> otherEnd) => new()
    {
        ThreadCount = threadCount,
        IsReceiver = isReceiver,
        IsLoopback = true,
        OtherEndCpus = otherEnd,
    };

    private static CpuPlan Fixed(int number) => new() { Threads = [new PlannedCpu(number, Named)], Warnings = [] };

    private static List<int> NumbersOf(CpuPlan plan) =>
        CpuList.Distinct(plan.Threads.Select(static thread => thread.Number));
}

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
        string relation = IsOfOtherEnd(chosen) ? "no CPU is left other than" : Relation(chosen.Distance);
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
            return "the interface of this address is unknown; "
                + (request.IsReceiver ? "receivers take the last CPU" : "senders take the first CPU");
        }

        string names = request.InterfaceNames;
        int[] nodes = [.. request.Interfaces.Select(static network => network.Node).OfType<int>().Distinct()];
        string unseen = $"the interrupts of {names} are not visible here";
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
            Add($"{chosen.Count} threads share {Cpus(chosen)}: this process may use no other CPU");
        }
        else if (usable == 1)
        {
            Add($"CPU {chosen[0]} is the only CPU of this process: all other work on it takes time from the run");
        }

        List<int> crowded = [.. chosen.Distinct().Where(cpu => Siblings(cpu).Any(chosen.Contains))];
        if (crowded.Count > 0) Add($"threads on {Cpus(crowded)} share cores: no core is left for each");
    }

    private void Quota()
    {
        if (cpus.QuotaCpus is { } quota && chosen.Count + request.OtherEndCpus.Count > quota)
        {
            Add($"the control group grants {quota:0.##} CPU(s) for {chosen.Count} thread(s)"
                + (request.OtherEndCpus.Count > 0 ? $" and perhaps the {request.OtherEndName}" : "")
                + ": they are throttled for part of each period (cpu.max)");
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
