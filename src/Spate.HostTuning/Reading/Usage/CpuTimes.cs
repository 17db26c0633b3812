using System.Runtime.InteropServices;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// Nanoseconds since the start, in steps of 10 ms (proc_stat(5)). <c>User</c>: niced programs and guests too.
/// <c>Softirq</c>: all that the kernel does with arrivals up to the socket. <c>Steal</c>: the hypervisor ran others.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct CpuTimes(long User, long System, long Softirq, long Irq, long Steal, long Idle)
{
    public long Total => User + System + Softirq + Irq + Steal + Idle;

    /// <summary>Stolen time counts: the CPU could not take more work in it.</summary>
    public long Busy => Total - Idle;

    /// <summary>
    /// What was added between two readings. A part that went backwards is 0: the kernel's counts of idle time and of
    /// waiting for a disk do so at times, and all of them when a CPU is plugged in again (proc_stat(5)).
    /// </summary>
    public static CpuTimes operator -(CpuTimes later, CpuTimes earlier) => new(
        Math.Max(0, later.User - earlier.User),
        Math.Max(0, later.System - earlier.System),
        Math.Max(0, later.Softirq - earlier.Softirq),
        Math.Max(0, later.Irq - earlier.Irq),
        Math.Max(0, later.Steal - earlier.Steal),
        Math.Max(0, later.Idle - earlier.Idle));

    public static CpuTimes Subtract(CpuTimes later, CpuTimes earlier) => later - earlier;

    public static CpuTimes operator +(CpuTimes left, CpuTimes right) => new(
        left.User + right.User,
        left.System + right.System,
        left.Softirq + right.Softirq,
        left.Irq + right.Irq,
        left.Steal + right.Steal,
        left.Idle + right.Idle);

    public static CpuTimes Add(CpuTimes left, CpuTimes right) => left + right;
}
