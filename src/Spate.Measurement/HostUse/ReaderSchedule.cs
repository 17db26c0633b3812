namespace Spate.Measurement.HostUse;

/// <summary>
/// What one receiving thread got of its CPUs from its first datagram to its last one, and what its socket dropped. The
/// time before and after does not count. A value is null where the system does not tell. Immutable.
/// </summary>
internal sealed record ReaderSchedule
{
    internal const double NanosecondsPerSecond = 1e9;

    /// <summary>Datagrams that the thread took from its socket.</summary>
    public long Datagrams { get; init; }

    /// <summary>What the kernel dropped at the thread's socket (<see cref="UdpCounters.KernelDrops"/>).</summary>
    public long? Drops { get; init; }

    /// <summary>
    /// Time that the thread was ready to run and waited for a CPU (<c>/proc/PID/schedstat</c>).
    /// </summary>
    public long? RunQueueNanoseconds { get; init; }

    /// <summary>
    /// Time that the hypervisor took from the thread's CPU (<c>steal</c> of proc_stat(5)); for a thread that is free to
    /// move, the mean of the CPUs that it may run on. It overlaps with <see cref="RunQueueNanoseconds"/>.
    /// </summary>
    public long? StealNanoseconds { get; init; }

    /// <summary>Time that the thread was on a CPU.</summary>
    public long? CpuNanoseconds { get; init; }

    /// <summary>
    /// Seconds that the thread waited for a CPU: the longer of the two that overlap, so that nothing counts twice.
    /// </summary>
    internal double WaitingSeconds =>
        Math.Max(0, Math.Max(RunQueueNanoseconds ?? 0, StealNanoseconds ?? 0)) / NanosecondsPerSecond;

    /// <summary>Whether most of <see cref="WaitingSeconds"/> is the hypervisor's.</summary>
    internal bool IsStolen => StealNanoseconds > Math.Max(0, RunQueueNanoseconds ?? 0) / 2;

    /// <summary>Seconds that the thread was on a CPU; null where unknown.</summary>
    internal double? CpuSeconds => CpuNanoseconds / NanosecondsPerSecond;
}
