using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate;

/// <summary>
/// Ties the calling thread to CPUs. Linux only (<c>sched_setaffinity(2)</c>); elsewhere
/// <see cref="TrySetCurrentThreadCpus"/> returns false with a reason and <see cref="GetCurrentThreadCpus"/> returns an
/// empty array. A refusal by the system is returned, never thrown.
/// </summary>
/// <remarks>
/// The setting belongs to the operating system's thread and outlives the call, so use it on threads of your own. A pool
/// thread would carry the setting to other work, and code after an <c>await</c> may run on another thread.
/// </remarks>
public static class ThreadAffinity
{
    private const int BitsPerWord = 64;

    // Linux allows at most 8192 CPUs (CONFIG_NR_CPUS on x64). The limit prevents a large allocation for a mistyped
    // number.
    private const int MaxCpus = 8192;

    /// <summary>Restricts the calling thread to these CPUs. On failure the CPUs of the thread stay unchanged.</summary>
    /// <param name="cpus">
    /// The numbers of the CPUs, from 0, as the kernel numbers them; in any order, repeats allowed.
    /// </param>
    /// <param name="error">The reason for the failure, in one line; null on success.</param>
    /// <returns>
    /// True if the thread now runs only on these CPUs. False if the system is not Linux, the list is empty, a CPU does
    /// not exist, this process is not allowed to use a CPU (cpuset, container), or the system refuses.
    /// </returns>
    public static bool TrySetCurrentThreadCpus(ReadOnlySpan<int> cpus, [NotNullWhen(false)] out string? error)
    {
        if (!OperatingSystem.IsLinux())
        {
            error = "Thread affinity is available on Linux only; run without it on this system.";
            return false;
        }
        if (!TryBuildMask(cpus, out ulong[] wanted, out error)) return false;
        ulong[]? before = ReadMask();
        if (Sched.sched_setaffinity(0, MaskBytes(wanted), wanted) != 0)
        {
            error = DescribeRefusal(Marshal.GetLastPInvokeError(), cpus[0], before);
            return false;
        }

        // The kernel silently leaves out CPUs that are offline or outside the cpuset (sched_setaffinity(2), NOTES).
        ulong[]? after = ReadMask();
        foreach (int cpuIndex in cpus)
        {
            if (after is null || Contains(after, cpuIndex)) continue;
            if (before is not null) _ = Sched.sched_setaffinity(0, MaskBytes(before), before);
            error = DescribeMissing(cpuIndex, before);
            return false;
        }
        error = null;
        return true;
    }

    /// <summary>The CPUs on which the calling thread is allowed to run.</summary>
    /// <returns>
    /// The numbers of the CPUs in ascending order; empty if the system does not report them (not Linux, or refused).
    /// </returns>
    public static int[] GetCurrentThreadCpus()
    {
        ulong[]? mask = OperatingSystem.IsLinux() ? ReadMask() : null;
        return mask is null ? [] : ToIndexes(mask);
    }

    private static bool TryBuildMask(
        ReadOnlySpan<int> cpus, out ulong[] mask, [NotNullWhen(false)] out string? error)
    {
        mask = [];
        error = null;
        if (cpus.IsEmpty)
        {
            error = "No CPU was given; give at least one CPU number.";
            return false;
        }
        int highest = 0;
        foreach (int cpuIndex in cpus)
        {
            if (cpuIndex is < 0 or >= MaxCpus)
            {
                error = $"CPU {cpuIndex} cannot exist; the number of a CPU is between 0 and {MaxCpus - 1}.";
                return false;
            }
            highest = Math.Max(highest, cpuIndex);
        }
        mask = new ulong[(highest / BitsPerWord) + 1];
        foreach (int cpuIndex in cpus)
        {
            mask[cpuIndex / BitsPerWord] |= 1UL << (cpuIndex % BitsPerWord);
        }
        return true;
    }

    private static ulong[]? ReadMask()
    {
        // EINVAL means that the kernel's own set is larger than the buffer (sched_setaffinity(2), NOTES). The next
        // attempt uses a larger buffer.
        for (int cpuCount = Sched.CPU_SETSIZE; cpuCount <= MaxCpus; cpuCount *= 2)
        {
            var mask = new ulong[cpuCount / BitsPerWord];
            if (Sched.sched_getaffinity(0, MaskBytes(mask), mask) >= 0) return mask;
            if (Marshal.GetLastPInvokeError() != Errno.EINVAL) return null;
        }
        return null;
    }

    // EINVAL means that this process can use none of the CPUs, so the message can name any of them.
    private static string DescribeRefusal(int errno, int cpuIndex, ulong[]? before) => errno == Errno.EINVAL
        ? DescribeMissing(cpuIndex, before)
        : $"The system refused to set the CPUs of this thread: {Errno.Describe(errno)}.";

    private static string DescribeMissing(int cpuIndex, ulong[]? before) =>
        $"CPU {cpuIndex} does not exist or is not allowed; use CPUs of this list: {FormatAllowed(before)}.";

    private static nuint MaskBytes(ulong[] mask) => (nuint)(mask.Length * sizeof(ulong));

    private static bool Contains(ulong[] mask, int cpuIndex) =>
        cpuIndex / BitsPerWord < mask.Length && (mask[cpuIndex / BitsPerWord] >> (cpuIndex % BitsPerWord) & 1) != 0;

    private static string FormatAllowed(ulong[]? mask) => mask is null ? "unknown" : string.Join(',', ToIndexes(mask));

    private static int[] ToIndexes(ulong[] mask)
    {
        List<int> indexes = [];
        for (int cpuIndex = 0; cpuIndex < mask.Length * BitsPerWord; cpuIndex++)
        {
            if (Contains(mask, cpuIndex)) indexes.Add(cpuIndex);
        }
        return [.. indexes];
    }
}
