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
    private const string Named = "as asked";

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
