using System.Runtime.InteropServices;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// What one thread has used since it began. A value is null where the system does not tell. <c>CpuNanoseconds</c>: time
/// on a CPU, user and kernel. The scheduler updates it at ticks and switches, so it may be some milliseconds behind for
/// a thread that is running. Windows counts whole ticks of its clock, usually 15.6 ms.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ThreadUsage(
    long? CpuNanoseconds, long? RunQueueNanoseconds, long? VoluntarySwitches, long? InvoluntarySwitches)
{
    /// <summary>
    /// Cycles of the processor that the thread has used, which Windows counts exactly. Null on other systems.
    /// </summary>
    public long? Cycles { get; init; }

    /// <summary>The use between two readings; null where either is unknown.</summary>
    public static ThreadUsage operator -(ThreadUsage later, ThreadUsage earlier) => new(
        later.CpuNanoseconds - earlier.CpuNanoseconds,
        later.RunQueueNanoseconds - earlier.RunQueueNanoseconds,
        later.VoluntarySwitches - earlier.VoluntarySwitches,
        later.InvoluntarySwitches - earlier.InvoluntarySwitches)
    {
        Cycles = later.Cycles - earlier.Cycles,
    };

    /// <summary>The use between two readings; null where either is unknown.</summary>
    public static ThreadUsage Subtract(ThreadUsage later, ThreadUsage earlier) => later - earlier;

    /// <summary>The sum of two uses; null where either is unknown.</summary>
    public static ThreadUsage operator +(ThreadUsage left, ThreadUsage right) => new(
        left.CpuNanoseconds + right.CpuNanoseconds,
        left.RunQueueNanoseconds + right.RunQueueNanoseconds,
        left.VoluntarySwitches + right.VoluntarySwitches,
        left.InvoluntarySwitches + right.InvoluntarySwitches)
    {
        Cycles = left.Cycles + right.Cycles,
    };

    /// <summary>The sum of two uses; null where either is unknown.</summary>
    public static ThreadUsage Add(ThreadUsage left, ThreadUsage right) => left + right;
}
