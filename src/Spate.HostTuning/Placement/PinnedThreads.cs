using Spate.HostTuning.Cpus;
using Spate.HostTuning.Files;

namespace Spate.HostTuning.Placement;

/// <summary>Finds the threads that may run on one CPU only, in the processes that own given sockets.</summary>
internal static class PinnedThreads
{
    // A look-up must not take long on a host with very many descriptors: beyond these bounds it finds less.
    private const int MaxProcesses = 4096;
    private const int MaxLinks = 65_536;
    private const int MaxThreads = 1024;

    public static List<int> Find(HostFiles files, HashSet<string> inodes)
    {
        var cpus = new List<int>();
        int links = 0;
        foreach (string process in files.ListNames("proc", MaxProcesses))
        {
            if (char.IsAsciiDigit(process[0]) && links < MaxLinks && Owns(files, process, inodes, ref links))
            {
                AddPinned(files, process, cpus);
            }
        }

        return CpuList.Distinct(cpus);
    }

    private static bool Owns(HostFiles files, string process, HashSet<string> inodes, ref int links)
    {
        const string Prefix = "socket:[";
        string directory = $"proc/{process}/fd";
        foreach (string descriptor in files.ListNames(directory, MaxLinks - links))
        {
            links++;
            if (files.ReadLink($"{directory}/{descriptor}") is { } link
                && link.StartsWith(Prefix, StringComparison.Ordinal) && link.EndsWith(']')
                && inodes.Contains(link[Prefix.Length..^1]))
            {
                return true;
            }
        }

        return false;
    }

    private static void AddPinned(HostFiles files, string process, List<int> cpus)
    {
        string tasks = $"proc/{process}/task";
        foreach (string thread in files.ListNames(tasks, MaxThreads))
        {
            if (CpuFacts.ReadAllowed(files, $"{tasks}/{thread}/status") is [int only]) cpus.Add(only);
        }
    }
}
