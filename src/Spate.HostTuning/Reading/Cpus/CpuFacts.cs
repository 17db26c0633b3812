using System.Globalization;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Cpus;

/// <summary>The machine's CPUs and those that this process may use.</summary>
internal sealed record CpuFacts
{
    private const string MaximumFrequency = "cpufreq/cpuinfo_max_freq";

    public required string? ModelName { get; init; }

    /// <summary>In rising order, online ones only.</summary>
    public required IReadOnlyList<CpuInfo> All { get; init; }

    public IReadOnlyList<CacheInfo> LastLevelCaches { get; init; } = [];

    /// <summary>
    /// What control groups grant, in CPUs; null for no limit. A process may be allowed on many CPUs and still be
    /// stopped for most of each period (cpu.max of cgroup v2, cfs_quota_us of v1).
    /// </summary>
    public required double? QuotaCpus { get; init; }

    /// <summary>In rising order.</summary>
    public IReadOnlyList<int> UsableNumbers
    {
        get
        {
            var numbers = new List<int>(All.Count);
            foreach (CpuInfo cpu in All)
            {
                if (cpu.Usable) numbers.Add(cpu.Number);
            }

            return numbers;
        }
    }

    /// <summary>Of the online CPUs.</summary>
    public int? CoreCount
    {
        get
        {
            var cores = new List<long>(All.Count);
            foreach (CpuInfo cpu in All)
            {
                // A core's number is unique only within its package.
                long? key = cpu.FirstOfCore ?? (((long?)cpu.Package + 1) << 32) + cpu.Core;
                if (key is not { } known) return null;

                if (!cores.Contains(known)) cores.Add(known);
            }

            return cores.Count;
        }
    }

    /// <summary>Without <c>/sys</c> and <c>/proc</c>, the runtime's count gives CPUs 0 to n-1, all usable.</summary>
    public static CpuFacts Read(string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        IReadOnlyList<int> online = ReadList(files, "sys/devices/system/cpu/online");
        if (online.Count == 0) _ = CpuList.TryParse($"0-{Environment.ProcessorCount - 1}", out online);

        List<int>? allowed = ReadAllowed(files, "proc/self/status");
        Dictionary<int, int> nodes = ReadNodes(files);
        Dictionary<int, int> cores = CpuTopology.ReadFirstOfCores(files, online);
        List<CacheInfo> caches = CpuTopology.ReadLastLevelCaches(files, online);
        Dictionary<int, int> cacheFirsts = FirstOfCaches(caches);
        bool hasFrequencies = files.Exists($"sys/devices/system/cpu/cpu{online[0]}/{MaximumFrequency}");
        var all = new List<CpuInfo>(online.Count);
        foreach (int number in online)
        {
            string cpu = $"sys/devices/system/cpu/cpu{number}/";
            bool isUsable = allowed is null || allowed.BinarySearch(number) >= 0;
            all.Add(new CpuInfo(
                number,
                NotNegative(files.ReadNumber(cpu + "topology/core_id")),
                NotNegative(files.ReadNumber(cpu + "topology/physical_package_id")),
                Find(nodes, number),
                isUsable)
            {
                FirstOfCore = Find(cores, number),
                FirstOfCache = Find(cacheFirsts, number),
                MaximumKilohertz = hasFrequencies ? NotNegative(files.ReadNumber(cpu + MaximumFrequency)) : null,
            });
        }

        return new CpuFacts
        {
            ModelName = ReadModelName(rootPath),
            All = all,
            LastLevelCaches = caches,
            QuotaCpus = CpuQuota.Read(files),
        };
    }

    /// <summary>In rising order.</summary>
    internal static List<int>? ReadAllowed(HostFiles files, string statusPath)
    {
        const string Field = "Cpus_allowed_list:";
        foreach (string line in files.ReadLines(statusPath))
        {
            if (line.StartsWith(Field, StringComparison.Ordinal))
            {
                return CpuList.TryParse(line[Field.Length..], out IReadOnlyList<int> numbers) ? [.. numbers] : null;
            }
        }

        return null;
    }

    private static IReadOnlyList<int> ReadList(HostFiles files, string path) =>
        CpuList.TryParse(files.ReadLine(path), out IReadOnlyList<int> numbers) ? numbers : [];

    // The kernel writes -1 for a package or core that the firmware does not describe.
    private static int? NotNegative(long? value) => value is >= 0 and <= int.MaxValue ? (int)value : null;

    private static int? Find(Dictionary<int, int> firsts, int number) =>
        firsts.TryGetValue(number, out int first) ? first : null;

    private static Dictionary<int, int> FirstOfCaches(List<CacheInfo> caches)
    {
        var firsts = new Dictionary<int, int>();
        foreach (CacheInfo cache in caches)
        {
            foreach (int number in cache.CpuNumbers)
            {
                firsts[number] = cache.CpuNumbers[0];
            }
        }

        return firsts;
    }

    private static Dictionary<int, int> ReadNodes(HostFiles files)
    {
        var nodes = new Dictionary<int, int>();
        foreach (int node in ReadList(files, "sys/devices/system/node/online"))
        {
            foreach (int cpu in ReadList(files, $"sys/devices/system/node/node{node}/cpulist"))
            {
                nodes[cpu] = node;
            }
        }

        return nodes;
    }

    public static string? ReadModelName(string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        foreach (string line in files.ReadLines("proc/cpuinfo"))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon > 0 && line.AsSpan(0, colon).Trim() is "model name" or "cpu model" or "Model")
            {
                return line[(colon + 1)..].Trim();
            }
        }

        // Arm kernels print no model name; a device tree names the board instead. It ends with a NUL.
        return files.ReadLine("proc/device-tree/model")?.TrimEnd('\0')
            ?? Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER");
    }
}

/// <summary>One CPU as the kernel numbers it. <c>Usable</c>: online, and this process may run on it.</summary>
internal sealed record CpuInfo(int Number, int? Core, int? Package, int? Node, bool Usable)
{
    /// <summary>The lowest number of its core: CPUs with the same value are SMT siblings. Null where unknown.</summary>
    public int? FirstOfCore { get; init; }

    /// <summary>The lowest number of its last-level cache.</summary>
    public int? FirstOfCache { get; init; }

    /// <summary>The frequency it is made for (cpufreq); null where the system shows none.</summary>
    public int? MaximumKilohertz { get; init; }
}

/// <summary>One last-level cache: level 3 on most servers. <c>SizeBytes</c>: virtual machines often hide it.</summary>
internal sealed record CacheInfo(int Level, long? SizeBytes, IReadOnlyList<int> CpuNumbers);

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
