using System.Globalization;
using System.Runtime.InteropServices;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>How many files (descriptors) the process has open, and how many it may have. Linux only.</summary>
/// <param name="Limit">RLIMIT_NOFILE, the soft one; null for no limit or if unknown.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FileUsage(int? OpenCount, int? Limit)
{
    private const string LimitName = "Max open files";
    private const int MinWanted = 65_536;

    public int? Left => Limit - OpenCount is { } left ? Math.Max(0, left) : null;

    public string LackText
    {
        get
        {
            const string Raise = "raise the limit with 'ulimit -n";
            const string Shell = "in the shell that starts it";
            if (Limit is not { } limit)
            {
                return $"the process has nearly all open files that it may have: {Raise} {MinWanted}' {Shell}";
            }

            long wanted = Math.Max(4L * limit, MinWanted);
            return $"the process may have {limit} open files and has nearly all of them: {Raise} {wanted}' {Shell}, "
                + $"or with LimitNOFILE={wanted} in its systemd unit";
        }
    }

    /// <summary>
    /// Reads both from /proc/self. The reading opens a file itself: with no descriptor left, all files that the limit
    /// allows count as open, if the limit is given.
    /// </summary>
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
