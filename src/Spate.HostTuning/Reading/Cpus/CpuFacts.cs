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
            ModelName = ReadModelName(files),
            All = all,
            LastLevelCaches = caches,
            QuotaCpus = CpuQuota.Read(files),
        };
    }

    public override string ToString() => RecordText.Of(
        nameof(CpuFacts),
        PrintMembers,
        (nameof(All), All),
        (nameof(LastLevelCaches), LastLevelCaches),
        (nameof(UsableNumbers), UsableNumbers));

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

    public static string? ReadModelName(string rootPath = "/") => ReadModelName(new HostFiles(rootPath));

    private static string? ReadModelName(HostFiles files)
    {
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
