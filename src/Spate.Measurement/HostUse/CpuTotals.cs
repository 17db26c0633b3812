using Spate.HostTuning.Reading.Usage;

namespace Spate.Measurement.HostUse;

/// <summary>What the CPUs did over a time, or over several times together. One thread at a time.</summary>
internal sealed class CpuTotals
{
    // Of more CPUs than this, those that matter to the run are reported, unless all were asked for.
    private const int MaxCpus = 16;
    private const double MinShownPercent = 5;

    private readonly Dictionary<int, CpuUse> _uses = [];

    public double Seconds { get; set; }

    /// <summary>CPU seconds that control groups withheld from the process; null where no group counts them.</summary>
    public double? ThrottledSeconds { get; set; }

    public CpuAttribution Places { get; } = new();

    public void Add(int cpu, CpuUse use) => _uses[cpu] = _uses.TryGetValue(cpu, out CpuUse sum) ? sum + use : use;

    public void Add(CpuTotals other)
    {
        foreach ((int cpu, CpuUse use) in other._uses) Add(cpu, use);
        Seconds += other.Seconds;
        if (other.ThrottledSeconds is { } throttled) ThrottledSeconds = (ThrottledSeconds ?? 0) + throttled;
        Places.Add(other.Places);
    }

    public CpuTotals With(CpuAttribution more)
    {
        var sum = new CpuTotals();
        sum.Add(this);
        sum.Places.Add(more);
        return sum;
    }

    /// <summary>The CPUs in rising order.</summary>
    public CpuReport[] Report(bool showsAll) => showsAll ? All() : WithoutIdle(All());

    public CpuLimit FindLimit() => CpuLimit.Find(All(), Places, ThrottledSeconds, Seconds);

    public static CpuReport[] WithoutIdle(CpuReport[] cpus) => Choose(
        [.. cpus.Where(static cpu => cpu.Roles.Length > 0 || cpu.BusyPercent >= MinShownPercent)], MaxCpus);

    /// <summary>Of more CPUs than a number, those of the run first and then the busiest; in rising order.</summary>
    public static CpuReport[] Choose(CpuReport[] cpus, int maxCount) => cpus.Length <= maxCount ? cpus :
    [
        .. cpus.OrderByDescending(static cpu => cpu.Roles.Length > 0)
            .ThenByDescending(static cpu => cpu.BusyPercent)
            .Take(maxCount)
            .OrderBy(static cpu => cpu.Cpu),
    ];

    private CpuReport[] All() =>
    [
        .. _uses.OrderBy(static one => one.Key)
            .Select(one => CpuReport.Of(one.Key, one.Value, Places))
            .OfType<CpuReport>(),
    ];
}
