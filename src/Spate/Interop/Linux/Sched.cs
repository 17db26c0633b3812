using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary>
/// <c>sched.h</c>: the CPUs that a thread may run on. A set of CPUs is an array of 64-bit words; CPU 0 is the lowest
/// bit of the first word.
/// </summary>
internal static partial class Sched
{
    /// <summary>
    /// The number of CPUs in a <c>cpu_set_t</c>. If the kernel's own set is larger, sched_getaffinity fails with
    /// EINVAL.
    /// </summary>
    public const int CPU_SETSIZE = 1024;

    /// <summary><paramref name="pid"/> 0 means the calling thread; <paramref name="cpusetsize"/> is in bytes.</summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int sched_setaffinity(int pid, nuint cpusetsize, ReadOnlySpan<ulong> mask);

    /// <summary><paramref name="pid"/> 0 means the calling thread; <paramref name="cpusetsize"/> is in bytes.</summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int sched_getaffinity(int pid, nuint cpusetsize, Span<ulong> mask);
}
