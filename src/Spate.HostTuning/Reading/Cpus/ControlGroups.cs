using System.Globalization;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Cpus;

/// <summary>The groups that share out the CPU time of this process: its own and all above it.</summary>
internal static class ControlGroups
{
    // Kubernetes nests about five groups; a longer path is cut at its deep end.
    private const int MaxDepth = 32;

    /// <summary>Below <c>/sys/fs/cgroup</c>, the top first, which is empty. Others end with a slash.</summary>
    public static IEnumerable<string> CpuPaths(HostFiles files)
    {
        // In a container the files of the process's own group usually lie at the top, where the host's root group has
        // no such files.
        yield return "";
        foreach (string line in files.ReadLines("proc/self/cgroup"))
        {
            // "0::/PATH" in v2, "4:cpu,cpuacct:/PATH" in v1 (cgroups(7)).
            string[] parts = line.Split(':', 3);
            if (parts.Length != 3 || (parts[1].Length > 0 && Array.IndexOf(parts[1].Split(','), "cpu") < 0)) continue;

            string group = "";
            int depth = 0;
            foreach (string name in parts[2].Split('/', StringSplitOptions.RemoveEmptyEntries))
            {
                // "/../x" is a group outside this process's cgroup namespace: it cannot be reached by its path.
                if (name is ".." || ++depth > MaxDepth) break;

                group += name + "/";
                yield return group;
            }
        }
    }
}

/// <summary>The smallest quota of the process's own control group and all groups above it.</summary>
internal static class CpuQuota
{
    public static double? Read(HostFiles files)
    {
        double? min = null;
        foreach (string group in ControlGroups.CpuPaths(files))
        {
            min = Min(min, ReadBoth(files, group));
        }

        return min;
    }

    private static double? ReadBoth(HostFiles files, string group) => Min(
        ReadVersion2(files.ReadLine($"sys/fs/cgroup/{group}cpu.max")),
        ReadVersion1(files, $"sys/fs/cgroup/cpu/{group}"));

    // "$MAX $PERIOD" in microseconds, or "max $PERIOD" for no limit (cgroup-v2.rst).
    private static double? ReadVersion2(string? line)
    {
        string[] parts = (line ?? "").Split(' ');
        return parts.Length == 2 ? Share(Parse(parts[0]), Parse(parts[1])) : null;
    }

    // -1 is no limit (sched-bwc.rst).
    private static double? ReadVersion1(HostFiles files, string group) =>
        Share(files.ReadNumber(group + "cpu.cfs_quota_us"), files.ReadNumber(group + "cpu.cfs_period_us"));

    private static double? Share(long? quota, long? period) =>
        quota > 0 && period > 0 ? (double)quota.Value / period.Value : null;

    private static double? Min(double? one, double? other) => one is null || other < one ? other : one;

    private static long? Parse(string text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long value) ? value : null;
}
