using Spate.HostTuning.Reading.Cpus;

namespace Spate.HostTuning.Placement;

/// <summary>
/// Where the two ends of a measurement in one process over the loopback run: on CPUs of their own, near each other's
/// cache. The receiver is placed first, since it is the end that is slower.
/// </summary>
/// <param name="Sender">The plan of the sender's thread.</param>
/// <param name="Receivers">The plan of the receiver's threads.</param>
internal sealed record LoopbackPlan(CpuPlan Sender, CpuPlan Receivers)
{
    private const string Named = "as asked";

    /// <summary>Places both ends.</summary>
    /// <param name="cpus">The machine's CPUs; only usable ones are chosen.</param>
    /// <param name="receiverCount">How many threads receive; 1 or more. Default: 1.</param>
    /// <param name="senderCpu">The sender's CPU, which is not checked; null (the default) chooses one.</param>
    /// <param name="receiverCpu">
    /// The CPU of the only receiving thread, which is not checked; null (the default) chooses one.
    /// </param>
    /// <returns>The plans; without threads when this process has no CPU that it may use.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The thread count is below 1.</exception>
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

    /// <summary>Reviews CPUs that the user named for both ends.</summary>
    /// <param name="cpus">The machine's CPUs.</param>
    /// <param name="senderCpu">The sender's CPU.</param>
    /// <param name="receiverCpus">The CPUs of the receiver's threads.</param>
    /// <returns>A sentence for each kind of clash between the ends; empty for none.</returns>
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
