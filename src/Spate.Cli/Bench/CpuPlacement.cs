using Spate.Cli.Shell;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.Cli.Bench;

/// <summary>Which CPU each end of a bench runs on; null when the system decides.</summary>
internal sealed record CpuPlacement(int? SenderCpu, int? ReceiverCpu, string Note)
{
    private const string NoAffinity = "thread affinity is available on Linux only";

    /// <summary>The named CPUs, which must exist and be allowed, or those of a <see cref="LoopbackPlan"/>.</summary>
    public static CpuPlacement Choose(int? senderCpu, int? receiverCpu)
    {
        CpuFacts cpus = CpuFacts.Read();
        IReadOnlyList<int> usable = OperatingSystem.IsLinux() ? cpus.UsableNumbers : [];
        foreach (int? named in (int?[])[senderCpu, receiverCpu])
        {
            if (named is int cpu && !usable.Contains(cpu))
            {
                throw new BenchException(usable.Count == 0
                    ? $"CPU {cpu} cannot be chosen on this system: {NoAffinity}; leave the choice to the system"
                    : $"CPU {cpu} is not there or not allowed; name one of {CpuList.Format(usable)}.");
            }
        }

        if (usable.Count < 2)
        {
            return new CpuPlacement(senderCpu, receiverCpu, usable.Count == 1
                ? "one CPU only: sender and receiver share it"
                : "threads are not pinned: " + NoAffinity);
        }

        var plan = LoopbackPlan.Make(cpus, senderCpu: senderCpu, receiverCpu: receiverCpu);
        return Of(plan.Sender.Threads[0].Number, plan.Receivers.Threads[0].Number);
    }

    /// <summary>The placement on two CPUs that are known to be usable.</summary>
    public static CpuPlacement Of(int sender, int receiver) => new(sender, receiver, sender == receiver
        ? $"sender and receiver share CPU {sender}, as asked"
        : $"sender on CPU {sender}, receiver on CPU {receiver}");
}
