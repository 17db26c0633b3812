namespace Spate.HostTuning;

/// <summary>One CPU as the kernel numbers it.</summary>
/// <param name="Number">The number that <c>--cpu</c>, taskset(1) and the kernel use.</param>
/// <param name="Core">The core within its package; null where unknown. CPUs of one core share its units.</param>
/// <param name="Package">The physical package (socket); null where unknown.</param>
/// <param name="Node">The NUMA node; null where unknown.</param>
/// <param name="Usable">Whether it is online and this process may run on it.</param>
public sealed record CpuInfo(int Number, int? Core, int? Package, int? Node, bool Usable);

/// <summary>The machine's CPUs and those that this process may use.</summary>
public sealed record CpuFacts
{
    /// <summary>The processor's name; null where the system states none.</summary>
    public required string? ModelName { get; init; }

    /// <summary>Every online CPU in rising order.</summary>
    public required IReadOnlyList<CpuInfo> All { get; init; }

    /// <summary>
    /// How many CPUs' worth of time the control group grants (cpu.max of cgroup v2); null for no limit.
    /// A process may be allowed on many CPUs and still be stopped for most of each period.
    /// </summary>
    public required double? QuotaCpus { get; init; }

    /// <summary>The numbers of the CPUs that this process may run on, in rising order.</summary>
    public IReadOnlyList<int> UsableNumbers
    {
        get
        {
            var numbers = new List<int>(All.Count);
            foreach (CpuInfo cpu in All)
            {
                if (cpu.Usable)
                {
                    numbers.Add(cpu.Number);
                }
            }

            return numbers;
        }
    }

    /// <summary>
    /// Reads the CPUs from <c>/sys/devices/system</c> and <c>/proc</c>. Without those files (other systems) the
    /// runtime's processor count gives CPUs 0 to n-1, all usable, with unknown topology.
    /// </summary>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    /// <returns>The CPUs as they are now.</returns>
    public static CpuFacts Read(string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        IReadOnlyList<int> online = ReadList(files, "sys/devices/system/cpu/online");
        if (online.Count == 0)
        {
            _ = CpuList.TryParse($"0-{Environment.ProcessorCount - 1}", out online);
        }

        List<int>? allowed = ReadAllowed(files);
        Dictionary<int, int> nodes = ReadNodes(files);
        var all = new List<CpuInfo>(online.Count);
        foreach (int number in online)
        {
            string topology = $"sys/devices/system/cpu/cpu{number}/topology/";
            all.Add(new CpuInfo(
                number,
                NotNegative(files.ReadNumber(topology + "core_id")),
                NotNegative(files.ReadNumber(topology + "physical_package_id")),
                nodes.TryGetValue(number, out int node) ? node : null,
                allowed is null || allowed.BinarySearch(number) >= 0));
        }

        return new CpuFacts { ModelName = ReadModelName(files), All = all, QuotaCpus = ReadQuota(files) };
    }

    private static IReadOnlyList<int> ReadList(HostFiles files, string path) =>
        CpuList.TryParse(files.ReadLine(path), out IReadOnlyList<int> numbers) ? numbers : [];

    // The kernel writes -1 for a package or core that the firmware does not describe.
    private static int? NotNegative(long? value) => value is >= 0 and <= int.MaxValue ? (int)value : null;

    private static List<int>? ReadAllowed(HostFiles files)
    {
        const string Field = "Cpus_allowed_list:";
        foreach (string line in files.ReadLines("proc/self/status"))
        {
            if (line.StartsWith(Field, StringComparison.Ordinal))
            {
                return CpuList.TryParse(line[Field.Length..], out IReadOnlyList<int> numbers) ? [.. numbers] : null;
            }
        }

        return null;
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

    // cgroup v2, "cpu.max": "$MAX $PERIOD" in microseconds, or "max $PERIOD" for no limit.
    private static double? ReadQuota(HostFiles files)
    {
        string[] parts = (files.ReadLine("sys/fs/cgroup/cpu.max") ?? "").Split(' ');
        return parts.Length == 2 && long.TryParse(parts[0], out long quota) && quota > 0
            && long.TryParse(parts[1], out long period) && period > 0
                ? (double)quota / period
                : null;
    }
}
