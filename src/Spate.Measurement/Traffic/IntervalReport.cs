using System.Runtime;
using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>One interval of a run.</summary>
internal sealed class IntervalReport
{
    /// <summary>The seconds from which on the rate of an interval means something.</summary>
    internal const double MinRateSeconds = 0.05;

    public static readonly TimeSpan DefaultInterval = TimeSpan.FromSeconds(1);

    /// <summary>Seconds from the start of the run to the start of the interval.</summary>
    public double StartSeconds { get; set; }

    public double Seconds { get; set; }

    public long Datagrams { get; set; }

    public long Bytes { get; set; }

    /// <summary>Null in under 50 ms: that has the start and end of threads. Written, not read.</summary>
    public double? DatagramsPerSecond => RateOf(Datagrams);

    /// <summary>Of payload; null where <see cref="DatagramsPerSecond"/> is. Written, not read.</summary>
    public double? BitsPerSecond => RateOf(8.0 * Bytes);

    /// <summary>How much it grew; negative if missing ones arrived. Null at a sender, but for one of a test.</summary>
    public long? Lost { get; set; }

    public double CpuPercent { get; set; }

    /// <summary>By the runtime, at the cost of the traffic; null where it was not counted.</summary>
    public long? CompiledMethods { get; set; }

    public long? AllocatedBytes { get; set; }

    public int? Gen0Collections { get; set; }

    public long? ResidentBytes { get; set; }

    public CpuReport[] Cores { get; set; } = [];

    public ThreadIntervalReport[] Threads { get; set; } = [];

    /// <summary>A part of the interval's traffic per second; null where the interval is too short.</summary>
    public double? RateOf(double amount) =>
        Datagrams > 0 && Seconds < MinRateSeconds ? null : Statistics.Ratio(amount, Seconds);

    internal void Extend(IntervalReport next)
    {
        double cpu = (CpuPercent * Seconds) + (next.CpuPercent * next.Seconds);
        double weight = Statistics.Ratio(Seconds, Seconds + next.Seconds);
        CpuPercent = Statistics.Ratio(cpu, Seconds + next.Seconds);
        Cores = Merge(Cores, next.Cores, weight);
        Seconds += next.Seconds;
        Datagrams += next.Datagrams;
        Bytes += next.Bytes;
        Lost += next.Lost;
        CompiledMethods += next.CompiledMethods;
        AllocatedBytes += next.AllocatedBytes;
        Gen0Collections += next.Gen0Collections;
        ResidentBytes = next.ResidentBytes;
        Dictionary<(string, int), ThreadIntervalReport> threads = next.Threads.ToDictionary(static one => one.Key);
        Threads = [.. Threads.Select(thread => threads.TryGetValue(thread.Key, out ThreadIntervalReport? rest)
            ? thread.Extend(rest)
            : thread)];
    }

    private static CpuReport[] Merge(CpuReport[] cores, CpuReport[] next, double weight)
    {
        var rest = next.ToDictionary(static core => core.Cpu);
        var merged = new List<CpuReport>(cores.Length);
        foreach (CpuReport core in cores)
        {
            merged.Add(core.Extend(rest.Remove(core.Cpu, out CpuReport? same) ? same : Idle(core.Cpu), weight));
        }

        merged.AddRange(rest.Values.Select(core => Idle(core.Cpu).Extend(core, weight)));
        return [.. merged.OrderBy(static core => core.Cpu)];
    }

    // A CPU that an interval does not show had hardly any work in it.
    private static CpuReport Idle(int cpu) =>
        new() { Cpu = cpu, IdlePercent = 100, OwnPercent = 0, ReceiveInterrupts = 0 };
}

/// <summary>One interval of a run, reported while the run goes on.</summary>
/// <param name="Flows">At most <see cref="MaxFlows"/>, those that moved most; none of a single flow.</param>
internal sealed record TrafficInterval(IntervalReport Total, IReadOnlyList<FlowInterval> Flows, int FlowCount)
{
    public const int MaxFlows = 16;

    public override string ToString() => RecordText.Of(nameof(TrafficInterval), PrintMembers, (nameof(Flows), Flows));
}

/// <summary>What one flow moved in an interval.</summary>
/// <param name="Name">The thread's number, or the first digits of the stream's id.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FlowInterval(string Name, long Datagrams, long Bytes, long? Lost);

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
