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
