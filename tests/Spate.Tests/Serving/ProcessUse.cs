namespace Spate.Tests.Serving;

/// <summary>What the process uses, as /proc tells.</summary>
internal static class ProcessUse
{
    /// <summary>
    /// What each descriptor stands for: "socket:[inode]" for a socket, each with an inode of its own. Files are left
    /// out, since the runtime opens assemblies when it first needs them, and so are pipes, one of which it opens and
    /// closes whenever a thread begins; the library has none. The others are told apart by number. A descriptor that
    /// was closed since it was listed has no target.
    /// </summary>
    public static HashSet<string> Descriptors() => Directory.GetFileSystemEntries("/proc/self/fd")
        .Select(entry => (Path.GetFileName(entry), new FileInfo(entry).LinkTarget ?? string.Empty))
        .Where(entry => entry.Item2.Length > 0
            && !entry.Item2.StartsWith('/')
            && !entry.Item2.StartsWith("pipe:", StringComparison.Ordinal))
        .Select(entry => $"{entry.Item1} {entry.Item2}")
        .ToHashSet(StringComparer.Ordinal);

    /// <summary>Threads by the names that servers give theirs.</summary>
    public static int ServerThreadCount() => Directory.GetDirectories("/proc/self/task").Count(IsServerThread);

    private static bool IsServerThread(string task)
    {
        try
        {
            string name = File.ReadAllText(Path.Combine(task, "comm"));
            return name.StartsWith("Spate shard", StringComparison.Ordinal)
                || name.StartsWith("Spate receiver", StringComparison.Ordinal);
        }
        catch (IOException)
        {
            // It has ended meanwhile.
            return false;
        }
    }
}
