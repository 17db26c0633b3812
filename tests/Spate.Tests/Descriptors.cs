using System.Diagnostics;

namespace Spate.Tests;

/// <summary>What this process has open, as Linux tells in /proc.</summary>
internal static class Descriptors
{
    public const string Ring = "anon_inode:[io_uring]";

    /// <summary>What a descriptor stands for, as "socket:[inode]", which is one socket's alone.</summary>
    public static string TargetOf(int descriptor) => new FileInfo($"/proc/self/fd/{descriptor}").LinkTarget!;

    /// <summary>What each open descriptor stands for.</summary>
    public static IEnumerable<string> Targets() => Directory.GetFileSystemEntries("/proc/self/fd")
        .Select(one => new FileInfo(one).LinkTarget ?? string.Empty);

    public static int OpenSockets() =>
        Targets().Count(static target => target.StartsWith("socket:", StringComparison.Ordinal));

    /// <summary>Has the collector run until the condition holds; false if it does not for long.</summary>
    public static bool CollectUntil(Func<bool> holds)
    {
        long start = Stopwatch.GetTimestamp();
        while (!holds())
        {
            if (Stopwatch.GetElapsedTime(start) > TimeSpan.FromSeconds(20)) return false;
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        return true;
    }
}
