using Spate.HostTuning.Reading.Cpus;

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

    public override string ToString() => RecordText.Of(
        nameof(CpuPlan), PrintMembers, (nameof(Threads), Threads), (nameof(Warnings), Warnings));
}
