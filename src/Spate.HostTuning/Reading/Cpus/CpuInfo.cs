namespace Spate.HostTuning.Reading.Cpus;

/// <summary>One CPU as the kernel numbers it.</summary>
/// <param name="Number">The number that <c>--cpu</c>, taskset(1) and the kernel use.</param>
/// <param name="Core">The core within its package; null where unknown. CPUs of one core share its units.</param>
/// <param name="Package">The physical package (socket); null where unknown.</param>
/// <param name="Node">The NUMA node; null where unknown.</param>
/// <param name="Usable">Whether it is online and this process may run on it.</param>
internal sealed record CpuInfo(int Number, int? Core, int? Package, int? Node, bool Usable)
{
    /// <summary>
    /// The lowest number among the CPUs of its core: CPUs with the same value are SMT siblings. Null where unknown.
    /// </summary>
    public int? FirstOfCore { get; init; }

    /// <summary>The lowest number among the CPUs that share its last-level cache; null where unknown.</summary>
    public int? FirstOfCache { get; init; }

    /// <summary>The highest frequency it is made for, in kHz (cpufreq); null where the system shows none.</summary>
    public int? MaximumKilohertz { get; init; }
}

/// <summary>One last-level cache and the CPUs that share it.</summary>
/// <param name="Level">The cache's level: 3 on most servers, 2 where there is no third level.</param>
/// <param name="SizeBytes">Its size in bytes; null where unknown (virtual machines often hide it).</param>
/// <param name="CpuNumbers">The CPUs that share it, in rising order.</param>
internal sealed record CacheInfo(int Level, long? SizeBytes, IReadOnlyList<int> CpuNumbers)
{
    public override string ToString() => RecordText.Of(
        nameof(CacheInfo), PrintMembers, (nameof(CpuNumbers), CpuNumbers));
}
