using System.Runtime.InteropServices;

namespace Spate.HostTuning.Usage;

/// <summary>What one thread has used since it began. A value is null where the system does not tell.</summary>
/// <param name="CpuNanoseconds">
/// Time on a CPU, user and kernel. The scheduler updates it at ticks and switches, so it may be some milliseconds
/// behind for a thread that is running.
/// </param>
/// <param name="RunQueueNanoseconds">Time spent ready to run but waiting for a CPU.</param>
/// <param name="VoluntarySwitches">How often the thread gave up the CPU to wait for something.</param>
/// <param name="InvoluntarySwitches">How often the thread was taken off the CPU.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct ThreadUsage(
    long? CpuNanoseconds, long? RunQueueNanoseconds, long? VoluntarySwitches, long? InvoluntarySwitches)
{
    /// <summary>The use between two readings; null where either is unknown.</summary>
    public static ThreadUsage operator -(ThreadUsage later, ThreadUsage earlier) => new(
        later.CpuNanoseconds - earlier.CpuNanoseconds,
        later.RunQueueNanoseconds - earlier.RunQueueNanoseconds,
        later.VoluntarySwitches - earlier.VoluntarySwitches,
        later.InvoluntarySwitches - earlier.InvoluntarySwitches);

    /// <summary>The use between two readings; null where either is unknown.</summary>
    public static ThreadUsage Subtract(ThreadUsage later, ThreadUsage earlier) => later - earlier;
}
