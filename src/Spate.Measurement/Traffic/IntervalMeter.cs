using System.Runtime;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>Measures process and CPUs from its making on, in all and by interval. One thread at a time.</summary>
internal sealed class IntervalMeter(bool showsAllCores) : IDisposable
{
    private readonly AllocationMeter _allocation = new();
    private readonly CpuMeter _cpu = new();
    private readonly TrafficWatch _cores = new();
    private double _lastCpuSeconds;
    private long _lastAllocatedBytes;
    private int _lastGen0Collections;
    private long _lastCompiledMethods = JitInfo.GetCompiledMethodCount();

    public CpuSeconds Cpu => _cpu.Elapsed;

    public void Look(long datagrams, Func<CpuAttribution> takePlaces) => _cores.Look(datagrams, takePlaces);

    /// <summary>Places are since the last reading of CPUs; CPU time up to the end, null for now.</summary>
    public void Fill(IntervalReport interval, CpuAttribution places, double? cpuSeconds = null)
    {
        double cpu = cpuSeconds ?? _cpu.Elapsed.Total;
        long allocatedBytes = _allocation.AllocatedBytes;
        int collections = _allocation.Gen0Collections;
        long compiledMethods = JitInfo.GetCompiledMethodCount();
        interval.CpuPercent = 100 * Statistics.Ratio(cpu - _lastCpuSeconds, interval.Seconds);
        interval.AllocatedBytes = Math.Max(0, allocatedBytes - _lastAllocatedBytes);
        interval.Gen0Collections = collections - _lastGen0Collections;
        interval.CompiledMethods = compiledMethods - _lastCompiledMethods;
        interval.ResidentBytes = MemoryUsage.Read().ResidentBytes;
        interval.Cores = _cores.TakeInterval(places).Report(showsAllCores);
        _lastCpuSeconds = cpu;
        _lastAllocatedBytes = allocatedBytes;
        _lastGen0Collections = collections;
        _lastCompiledMethods = compiledMethods;
    }

    public void FillProcess(EndReport report)
    {
        CpuSeconds cpu = _cpu.Elapsed;
        (report.CpuUserSeconds, report.CpuSystemSeconds) = (cpu.User, cpu.System);
        (report.AllocatedBytes, report.Gen0Collections) = (_allocation.AllocatedBytes, _allocation.Gen0Collections);
    }

    public void FillCores(MeasurementReport report, CpuAttribution places)
    {
        _ = _cores.TakeInterval(places);
        report.SetCores(_cores.Total, showsAllCores);
    }

    public void Dispose() => _cores.Dispose();
}

/// <summary>The intervals of a run, which sum to its total.</summary>
internal sealed class IntervalLog
{
    // Bounds the memory of a run that lasts for days: only the newest intervals are kept. With two CPUs and a thread
    // each, at one a second, these are the intervals of a day; the more of both, the fewer intervals.
    private const int MaxEntries = 4 * 86_400;

    private readonly Queue<IntervalReport> _intervals = new();
    private IntervalReport? _last;
    private int _entries;

    public void Add(IntervalReport interval)
    {
        _entries += EntriesOf(interval);
        while (_entries > MaxEntries && _intervals.Count > 0) _entries -= EntriesOf(_intervals.Dequeue());
        _intervals.Enqueue(interval);
        _last = interval;
    }

    /// <summary>Adds what came after the last interval; false if it was so short that it joined that one.</summary>
    public bool AddRest(IntervalReport rest)
    {
        if (_last is null || rest.Seconds >= IntervalReport.MinRateSeconds)
        {
            Add(rest);
            return true;
        }

        _last.Extend(rest);
        return false;
    }

    public IntervalReport[] ToArray() => [.. _intervals];

    private static int EntriesOf(IntervalReport interval) => 1 + interval.Cores.Length + interval.Threads.Length;
}
