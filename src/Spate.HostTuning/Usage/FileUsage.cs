using System.Globalization;
using System.Runtime.InteropServices;

namespace Spate.HostTuning.Usage;

/// <summary>How many files (descriptors) the process has open, and how many it may have. Linux only.</summary>
/// <param name="OpenCount">The number of open files; null where the system does not tell.</param>
/// <param name="Limit">The soft limit RLIMIT_NOFILE; null for no limit or where the system does not tell.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct FileUsage(int? OpenCount, int? Limit)
{
    private const string LimitName = "Max open files";

    /// <summary>How many more files the process may open; null where either number is unknown.</summary>
    public int? Left => Limit - OpenCount is { } left ? Math.Max(0, left) : null;

    /// <summary>
    /// Reads both from /proc/self. The reading opens a file itself: with no descriptor left, all files that the limit
    /// allows count as open, if the limit is given.
    /// </summary>
    /// <param name="knownLimit">The limit, if it was read before; null to read it.</param>
    public static FileUsage Read(int? knownLimit = null)
    {
        if (!OperatingSystem.IsLinux()) return default;
        int? limit = knownLimit;
        try
        {
            limit ??= ReadLimit();
            return new FileUsage(Directory.EnumerateFileSystemEntries("/proc/self/fd").Count(), limit);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return new FileUsage(limit, limit);
        }
    }

    // "Max open files   1024   524288   files": the soft limit, then the hard limit (proc_pid_limits(5)).
    private static int? ReadLimit()
    {
        foreach (string line in File.ReadLines("/proc/self/limits"))
        {
            if (!line.StartsWith(LimitName, StringComparison.Ordinal)) continue;
            string[] fields = line[LimitName.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
            return int.TryParse(fields[0], CultureInfo.InvariantCulture, out int allowed) ? allowed : null;
        }

        return null;
    }
}
