using System.Globalization;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Cpus;

/// <summary>Which CPUs share a core and a last-level cache, from <c>/sys/devices/system/cpu</c>.</summary>
internal static class CpuTopology
{
    private const string Root = "sys/devices/system/cpu/cpu";

    // index0 to index3 on today's processors; the bound ends the search in an odd tree.
    private const int MaxCacheIndexes = 10;

    /// <summary>The lowest sibling of each CPU. Files are read once per core: each costs start time.</summary>
    public static Dictionary<int, int> ReadFirstOfCores(HostFiles files, IReadOnlyList<int> online)
    {
        var firsts = new Dictionary<int, int>();
        foreach (int number in online)
        {
            // core_cpus_list is the name since Linux 5.3, thread_siblings_list the one before (cputopology.rst).
            string? list = firsts.ContainsKey(number)
                ? null
                : files.ReadLine($"{Root}{number}/topology/core_cpus_list")
                    ?? files.ReadLine($"{Root}{number}/topology/thread_siblings_list");
            AddGroup(firsts, number, list);
        }

        return firsts;
    }

    public static List<CacheInfo> ReadLastLevelCaches(HostFiles files, IReadOnlyList<int> online)
    {
        var caches = new List<CacheInfo>();
        var known = new Dictionary<int, int>();
        foreach (int number in online)
        {
            if (!known.ContainsKey(number) && ReadLastLevel(files, number) is { } cache)
            {
                caches.Add(cache);
                foreach (int sharer in cache.CpuNumbers)
                {
                    known[sharer] = number;
                }
            }
        }

        return caches;
    }

    private static void AddGroup(Dictionary<int, int> firsts, int number, string? list)
    {
        // A group that does not name its own CPU is damaged; that CPU's core then stays unknown.
        if (CpuList.TryParse(list, out IReadOnlyList<int> group) && CpuList.Contains(group, number))
        {
            foreach (int member in group)
            {
                firsts[member] = group[0];
            }
        }
    }

    private static CacheInfo? ReadLastLevel(HostFiles files, int number)
    {
        CacheInfo? last = null;
        for (int index = 0; index < MaxCacheIndexes; index++)
        {
            string cache = $"{Root}{number}/cache/index{index}/";
            long? level = files.ReadNumber(cache + "level");
            if (level is null) break;

            bool holdsData = files.ReadLine(cache + "type") is not "Instruction";
            if (holdsData && level < 10 && level > (last?.Level ?? 0)
                && CpuList.TryParse(files.ReadLine(cache + "shared_cpu_list"), out IReadOnlyList<int> sharers)
                && CpuList.Contains(sharers, number))
            {
                last = new CacheInfo((int)level, ParseSize(files.ReadLine(cache + "size")), sharers);
            }
        }

        return last;
    }

    // "32K", "107520K"; some kernels for Arm write "8M".
    private static long? ParseSize(string? text)
    {
        if (string.IsNullOrEmpty(text)) return null;

        int shift = text[^1] switch { 'K' => 10, 'M' => 20, 'G' => 30, _ => 0 };
        ReadOnlySpan<char> digits = shift == 0 ? text : text.AsSpan(0, text.Length - 1);
        return long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out long size)
            && size is > 0 and < 1L << 32
                ? size << shift
                : null;
    }
}
