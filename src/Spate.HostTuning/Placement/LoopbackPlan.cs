using Spate.HostTuning.Reading.Cpus;

namespace Spate.HostTuning.Placement;

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
