using System.Runtime.InteropServices;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>How one thread has used its CPU time since it began, and where it ran last; null where unknown.</summary>
/// <param name="UserNanoseconds">Steps of 10 ms, split by ticks: estimates for a short time.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ThreadTimes(long? UserNanoseconds, long? SystemNanoseconds, int? Cpu)
{
    /// <summary>With the CPU of the later one; null where either is unknown.</summary>
    public static ThreadTimes operator -(ThreadTimes later, ThreadTimes earlier) => new(
        later.UserNanoseconds - earlier.UserNanoseconds,
        later.SystemNanoseconds - earlier.SystemNanoseconds,
        later.Cpu);

    public static ThreadTimes Subtract(ThreadTimes later, ThreadTimes earlier) => later - earlier;
}
