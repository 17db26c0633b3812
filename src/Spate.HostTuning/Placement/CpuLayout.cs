using Spate.HostTuning.Reading.Cpus;

namespace Spate.HostTuning.Placement;

/// <summary>Shared cores, caches and nodes. Unknown places count as near: a guess must not send threads away.</summary>
internal sealed class CpuLayout
{
    private readonly CpuFacts _cpus;
    private readonly Dictionary<int, List<int>> _cores = [];

    public CpuLayout(CpuFacts cpus)
    {
        _cpus = cpus;
        var groups = new Dictionary<(int, int), List<int>>();
        foreach (CpuInfo cpu in cpus.All)
        {
            if (!groups.TryGetValue(KeyOf(cpu), out List<int>? group)) groups[KeyOf(cpu)] = group = [];

            group.Add(cpu.Number);
            _cores[cpu.Number] = group;
        }
    }

    /// <summary>In rising order, with the CPU itself; the CPU alone where its core is unknown.</summary>
    public IReadOnlyList<int> CoreOf(int number) => _cores.TryGetValue(number, out List<int>? core) ? core : [number];

    public CpuDistance Distance(CpuInfo cpu, CpuInfo other)
    {
        if (cpu.Number == other.Number) return CpuDistance.SameCpu;

        if (CpuList.Contains(CoreOf(cpu.Number), other.Number)) return CpuDistance.SameCore;

        int? home = cpu.Node ?? cpu.Package;
        int? otherHome = cpu.Node is null ? other.Package : other.Node;
        if (home is not null && otherHome is not null && home != otherHome) return CpuDistance.OtherNode;

        return cpu.FirstOfCache is not null && cpu.FirstOfCache == other.FirstOfCache
            ? CpuDistance.SameCache
            : CpuDistance.SameNode;
    }

    /// <summary>Of the cache (else the node) that has the most usable CPUs; among equals the first.</summary>
    public List<int> LargestGroup() =>
    [
        .. _cpus.All.Where(static cpu => cpu.Usable)
            .GroupBy(static cpu => cpu.FirstOfCache ?? cpu.Node ?? cpu.Package)
            .OrderByDescending(static group => group.Count())
            .FirstOrDefault()?.Select(static cpu => cpu.Number) ?? [],
    ];

    private static (int, int) KeyOf(CpuInfo cpu) => cpu switch
    {
        { FirstOfCore: { } first } => (-1, first),
        { Core: { } core, Package: { } package } => (package, core),
        _ => (-2, cpu.Number),
    };
}
