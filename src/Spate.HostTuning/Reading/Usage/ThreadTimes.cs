using System.Runtime.InteropServices;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// How one thread has used its CPU time since it began, and where it ran last. A value is null where the system does
/// not tell.
/// </summary>
/// <param name="UserNanoseconds">
/// In the program itself, in steps of 10 ms. The kernel splits the exact time by what the thread did at its ticks, so
/// the parts of a short time are estimates.
/// </param>
/// <param name="SystemNanoseconds">In the kernel for the thread, as exact as the other part.</param>
/// <param name="Cpu">The CPU that it ran on last.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct ThreadTimes(long? UserNanoseconds, long? SystemNanoseconds, int? Cpu)
{
    /// <summary>The use between two readings, with the CPU of the later one; null where either is unknown.</summary>
    public static ThreadTimes operator -(ThreadTimes later, ThreadTimes earlier) => new(
        later.UserNanoseconds - earlier.UserNanoseconds,
        later.SystemNanoseconds - earlier.SystemNanoseconds,
        later.Cpu);

    /// <inheritdoc cref="op_Subtraction"/>
    public static ThreadTimes Subtract(ThreadTimes later, ThreadTimes earlier) => later - earlier;
}
