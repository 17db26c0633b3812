using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary>
/// <c>sched.h</c>: which CPUs a thread may run on. A set is 64-bit words, CPU 0 the lowest bit of the first.
/// </summary>
internal static partial class Sched
{
    /// <summary>CPUs in a <c>cpu_set_t</c>; the kernel's own set may be larger, then it answers EINVAL.</summary>
    public const int CPU_SETSIZE = 1024;

    /// <summary><paramref name="pid"/> 0 is the calling thread; the size is in bytes.</summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int sched_setaffinity(int pid, nuint cpusetsize, ReadOnlySpan<ulong> mask);

    /// <summary><paramref name="pid"/> 0 is the calling thread; the size is in bytes.</summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int sched_getaffinity(int pid, nuint cpusetsize, Span<ulong> mask);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int sched_getcpu();
}
