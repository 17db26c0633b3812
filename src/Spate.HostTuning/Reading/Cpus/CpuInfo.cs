namespace Spate.HostTuning.Reading.Cpus;

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
internal sealed record CacheInfo(int Level, long? SizeBytes, IReadOnlyList<int> CpuNumbers)
{
    public override string ToString() => RecordText.Of(
        nameof(CacheInfo), PrintMembers, (nameof(CpuNumbers), CpuNumbers));
}
