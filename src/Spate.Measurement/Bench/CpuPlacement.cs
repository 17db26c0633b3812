namespace Spate.Measurement.Bench;

/// <summary>Which CPU each end of a bench runs on, and why.</summary>
/// <param name="SenderCpu">CPU index of the sender's thread; null when the system decides.</param>
/// <param name="ReceiverCpu">CPU index of the receiver's thread; null when the system decides.</param>
/// <param name="Note">The choice in one line.</param>
internal sealed record CpuPlacement(int? SenderCpu, int? ReceiverCpu, string Note)
{
    /// <summary>Gives each end a CPU of its own where there are two: the named one, or one of the first two.</summary>
    /// <exception cref="BenchException">A named CPU does not exist or is not allowed.</exception>
    public static CpuPlacement Choose(int? senderCpu, int? receiverCpu)
    {
        int[] allowed = ReadAllowed(out string? error);
        foreach (int? named in (int?[])[senderCpu, receiverCpu])
        {
            if (named is int cpu && !allowed.Contains(cpu))
            {
                throw new BenchException(allowed.Length == 0
                    ? $"CPU {cpu} cannot be chosen on this system: {error ?? "it does not tell its CPUs"}"
                    : $"CPU {cpu} is not there or not allowed; name one of {string.Join(',', allowed)}.");
            }
        }
        if (allowed.Length < 2)
        {
            return new CpuPlacement(senderCpu, receiverCpu, allowed.Length == 1
                ? "one CPU only: sender and receiver share it"
                : "threads are not pinned: " + (error ?? "the system does not tell its CPUs"));
        }
        int sender = senderCpu ?? allowed.First(cpu => cpu != receiverCpu);
        int receiver = receiverCpu ?? allowed.First(cpu => cpu != sender);
        return new CpuPlacement(sender, receiver, sender == receiver
            ? $"sender and receiver share CPU {sender}, as asked"
            : $"sender on CPU {sender}, receiver on CPU {receiver}");
    }

    private static int[] ReadAllowed(out string? error)
    {
        error = OperatingSystem.IsLinux() ? null : "thread affinity is available on Linux only";
        return ThreadAffinity.Get();
    }
}
