using System.Diagnostics;
using Spate.HostTuning.Usage;

namespace Spate.Measurement.Cores;

/// <summary>
/// Watches the CPUs of the host from its making on, with the work of all programs. One thread at a time. Nothing is
/// read between two calls.
/// </summary>
internal sealed class CoreWatch : IDisposable
{
    // Of more CPUs than this, those that matter to the run are reported, unless all were asked for.
    private const int MaxCores = 16;
    private const double MinShownPercent = 5;

    private readonly CpuTimesReader _reader;
    private readonly string _rootPath;
    private readonly bool _showsAll;
    private readonly Dictionary<int, CpuUse> _sums = [];
    private readonly long _startTicks = Stopwatch.GetTimestamp();
    private readonly long? _throttledBefore;
    private IReadOnlyDictionary<int, CpuUse> _last;

    /// <param name="showsAll">Whether CPUs without much work are reported too.</param>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    public CoreWatch(bool showsAll = false, string rootPath = "/")
    {
        _reader = new CpuTimesReader(rootPath);
        _rootPath = rootPath;
        _showsAll = showsAll;
        _throttledBefore = CpuThrottle.ReadNanoseconds(rootPath);
        _last = _reader.Read();
    }

    /// <summary>Reports the time since the last call, or since the making.</summary>
    /// <param name="places">Where the run's threads and interrupts are.</param>
    public CoreReport[] TakeInterval(CorePlaces places)
    {
        IReadOnlyDictionary<int, CpuUse> now = _reader.Read();
        var between = new Dictionary<int, CpuUse>();
        foreach ((int cpu, CpuUse use) in now)
        {
            // What a CPU did that was plugged in or out in between is not known.
            if (!_last.TryGetValue(cpu, out CpuUse earlier)) continue;

            between[cpu] = use - earlier;
            _sums[cpu] = _sums.TryGetValue(cpu, out CpuUse sum) ? sum + between[cpu] : between[cpu];
        }

        _last = now;
        return Choose(Report(between, places));
    }

    /// <summary>Reports all of the time until now: the CPUs, and which one is the limit.</summary>
    public CoreSummary TakeSummary(CorePlaces places)
    {
        _ = TakeInterval(places);
        double seconds = Stopwatch.GetElapsedTime(_startTicks).TotalSeconds;
        double? throttled = (CpuThrottle.ReadNanoseconds(_rootPath) - _throttledBefore) / 1e9;
        CoreReport[] all = Report(_sums, places);
        return new CoreSummary(Choose(all), CoreLimit.Find(all, throttled, seconds), throttled);
    }

    public void Dispose() => _reader.Dispose();

    private static CoreReport[] Report(Dictionary<int, CpuUse> uses, CorePlaces places) =>
    [
        .. uses.OrderBy(static one => one.Key)
            .Select(one => CoreReport.Of(one.Key, one.Value, places.RolesOf(one.Key)))
            .OfType<CoreReport>(),
    ];

    private CoreReport[] Choose(CoreReport[] cores) => _showsAll ? cores :
    [
        .. cores.Where(static core => core.Roles.Length > 0 || core.BusyPercent >= MinShownPercent)
            .OrderByDescending(static core => core.Roles.Length > 0)
            .ThenByDescending(static core => core.BusyPercent)
            .Take(MaxCores)
            .OrderBy(static core => core.Cpu),
    ];
}
