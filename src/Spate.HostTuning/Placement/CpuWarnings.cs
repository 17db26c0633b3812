using Spate.HostTuning.Reading.Cpus;

namespace Spate.HostTuning.Placement;

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
