using Spate.HostTuning.Cpus;
using Spate.HostTuning.Files;

namespace Spate.HostTuning.Usage;

/// <summary>How long control groups have kept this process from running because its quota of CPU time was used up.</summary>
public static class CpuThrottle
{
    private const int MaxFileBytes = 4096;
    private const long NanosecondsPerMicrosecond = 1000;

    /// <summary>
    /// Reads the time from <c>cpu.stat</c> of the process's control group and those above it: <c>throttled_usec</c>
    /// (cgroup-v2.rst) or <c>throttled_time</c> (sched-bwc.rst), summed over the group's CPUs. Of several groups with a
    /// quota, the largest counts, since one stop may count in more than one.
    /// </summary>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    /// <returns>Nanoseconds since the group was made; null where no group can throttle.</returns>
    public static long? ReadNanoseconds(string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        long? longest = null;
        foreach (string group in ControlGroups.CpuPaths(files))
        {
            long? time = Read(files, $"sys/fs/cgroup/{group}cpu.stat") ?? Read(files, $"sys/fs/cgroup/cpu/{group}cpu.stat");
            if (time is not null) longest = Math.Max(longest ?? 0, time.Value);
        }

        return longest;
    }

    private static long? Read(HostFiles files, string path)
    {
        Span<byte> buffer = stackalloc byte[MaxFileBytes];
        using HostFile file = files.Open(path);
        ReadOnlySpan<byte> text = file.Read(buffer);
        return HostText.NumberAfter(text, "throttled_usec "u8) * NanosecondsPerMicrosecond
            ?? HostText.NumberAfter(text, "throttled_time "u8);
    }
}
