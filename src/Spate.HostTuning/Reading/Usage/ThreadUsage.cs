using System.Runtime.InteropServices;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// Since the thread began; null where unknown. <c>CpuNanoseconds</c>: user and kernel, some milliseconds behind for a
/// thread that runs (updated at ticks and switches); whole ticks of 15.6 ms on Windows.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ThreadUsage(
    long? CpuNanoseconds, long? RunQueueNanoseconds, long? VoluntarySwitches, long? InvoluntarySwitches)
{
    /// <summary>Windows counts these exactly. Null on other systems.</summary>
    public long? Cycles { get; init; }

    public static ThreadUsage operator -(ThreadUsage later, ThreadUsage earlier) => new(
        later.CpuNanoseconds - earlier.CpuNanoseconds,
        later.RunQueueNanoseconds - earlier.RunQueueNanoseconds,
        later.VoluntarySwitches - earlier.VoluntarySwitches,
        later.InvoluntarySwitches - earlier.InvoluntarySwitches)
    {
        Cycles = later.Cycles - earlier.Cycles,
    };

    public static ThreadUsage Subtract(ThreadUsage later, ThreadUsage earlier) => later - earlier;

    public static ThreadUsage operator +(ThreadUsage left, ThreadUsage right) => new(
        left.CpuNanoseconds + right.CpuNanoseconds,
        left.RunQueueNanoseconds + right.RunQueueNanoseconds,
        left.VoluntarySwitches + right.VoluntarySwitches,
        left.InvoluntarySwitches + right.InvoluntarySwitches)
    {
        Cycles = left.Cycles + right.Cycles,
    };

    public static ThreadUsage Add(ThreadUsage left, ThreadUsage right) => left + right;
}
