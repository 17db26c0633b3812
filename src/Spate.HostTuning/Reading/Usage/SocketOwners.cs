using System.Globalization;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>Finds owners by the links <c>/proc/PID/fd/N</c>; without root, only processes of the same user.</summary>
internal static class SocketOwners
{
    // A look-up must not take long on a host with very many descriptors: beyond these bounds it finds less.
    private const int MaxProcesses = 4096;
    private const int MaxLinks = 65_536;

    public static IEnumerable<(string Process, long Inode)> Find(HostFiles files, IReadOnlySet<long> inodes)
    {
        int links = 0;
        foreach (string process in files.ListNames("proc", MaxProcesses))
        {
            if (!char.IsAsciiDigit(process[0])) continue;

            string directory = $"proc/{process}/fd";
            List<string> descriptors = files.ListNames(directory, MaxLinks - links);
            links += descriptors.Count;
            foreach (long inode in descriptors.Select(one => ReadInode(files, $"{directory}/{one}")).Distinct())
            {
                if (inodes.Contains(inode)) yield return (process, inode);
            }
        }
    }

    /// <summary>In one line of printable ASCII.</summary>
    public static string NameOf(HostFiles files, string process) =>
        files.ReadLine($"proc/{process}/comm") is { } name ? FileText.Escape(name) : "";

    private static long ReadInode(HostFiles files, string path)
    {
        const string Begin = "socket:[";
        return files.ReadLink(path) is { } link
            && link.StartsWith(Begin, StringComparison.Ordinal)
            && link.EndsWith(']')
            && long.TryParse(
                link.AsSpan()[Begin.Length..^1], NumberStyles.None, CultureInfo.InvariantCulture, out long inode)
            ? inode
            : 0;
    }
}
