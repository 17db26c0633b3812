using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Placement;

/// <summary>Finds the threads that may run on one CPU only, in the processes that own given sockets.</summary>
internal static class PinnedThreads
{
    private const int MaxThreads = 1024;

    public static List<int> Find(HostFiles files, IReadOnlySet<long> inodes)
    {
        var cpus = new List<int>();
        foreach (string process in SocketOwners.Find(files, inodes)
            .Select(static one => one.Process)
            .Distinct(StringComparer.Ordinal))
        {
            AddPinned(files, process, cpus);
        }

        return CpuList.Distinct(cpus);
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
