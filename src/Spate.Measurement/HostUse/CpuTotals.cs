using Spate.HostTuning.Reading.Usage;

namespace Spate.Measurement.HostUse;

/// <summary>What the CPUs did over a time, or over several times together. One thread at a time.</summary>
internal sealed class CpuTotals
{
    // Of more CPUs than this, those that matter to the run are reported, unless all were asked for.
    private const int MaxCores = 16;
    private const double MinShownPercent = 5;

    private readonly Dictionary<int, CpuUse> _uses = [];

    /// <summary>How long it was.</summary>
    public double Seconds { get; set; }

    /// <summary>CPU seconds that control groups withheld from the process; null where no group counts them.</summary>
    public double? ThrottledSeconds { get; set; }

    /// <summary>Where the run had work.</summary>
    public CpuAttribution Places { get; } = new();

    /// <summary>Adds what one CPU did.</summary>
    public void Add(int cpu, CpuUse use) => _uses[cpu] = _uses.TryGetValue(cpu, out CpuUse sum) ? sum + use : use;

    /// <summary>Adds another time.</summary>
    public void Add(CpuTotals other)
    {
        foreach ((int cpu, CpuUse use) in other._uses) Add(cpu, use);
        Seconds += other.Seconds;
        if (other.ThrottledSeconds is { } throttled) ThrottledSeconds = (ThrottledSeconds ?? 0) + throttled;
        Places.Add(other.Places);
    }

    /// <summary>The same time with further work of the run.</summary>
    public CpuTotals With(CpuAttribution more)
    {
        var sum = new CpuTotals();
        sum.Add(this);
        sum.Places.Add(more);
        return sum;
    }

    /// <summary>The CPUs in rising order.</summary>
    /// <param name="showsAll">Whether CPUs without much work are reported too.</param>
    public CpuReport[] Report(bool showsAll) => showsAll ? All() : WithoutIdle(All());

    /// <summary>What was the limit.</summary>
    public CpuLimit FindLimit() => CpuLimit.Find(All(), Places, ThrottledSeconds, Seconds);

    /// <summary>The CPUs that work or that the run uses, a bounded number of them.</summary>
    public static CpuReport[] WithoutIdle(CpuReport[] cores) => Choose(
        [.. cores.Where(static core => core.Roles.Length > 0 || core.BusyPercent >= MinShownPercent)], MaxCores);

    /// <summary>Of more CPUs than a number, those of the run first and then the busiest; in rising order.</summary>
    public static CpuReport[] Choose(CpuReport[] cores, int maxCount) => cores.Length <= maxCount ? cores :
    [
        .. cores.OrderByDescending(static core => core.Roles.Length > 0)
            .ThenByDescending(static core => core.BusyPercent)
            .Take(maxCount)
            .OrderBy(static core => core.Cpu),
    ];

    private CpuReport[] All() =>
    [
        .. _uses.OrderBy(static one => one.Key)
            .Select(one => CpuReport.Of(one.Key, one.Value, Places))
            .OfType<CpuReport>(),
    ];
}
