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
internal abstract record RunInterval(IntervalReport Total);

/// <summary>One interval of a run that sends or receives.</summary>
/// <param name="Flows">At most <see cref="MaxFlows"/>, those that moved most; none of a single flow.</param>
internal sealed record TrafficInterval(IntervalReport Total, IReadOnlyList<FlowInterval> Flows, int FlowCount)
    : RunInterval(Total)
{
    public const int MaxFlows = 16;

    public override string ToString() => RecordText.Of(nameof(TrafficInterval), PrintMembers, (nameof(Flows), Flows));
}

/// <summary>What one flow moved in an interval.</summary>
/// <param name="Name">The thread's number, or the first digits of the stream's id.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FlowInterval(string Name, long Datagrams, long Bytes, long? Lost);

/// <summary>
/// Measures process, CPUs and links of a run from its making on, in all and by interval. It waits for the intervals,
/// and keeps them: they sum to the run's total. One thread at a time.
/// </summary>
/// <param name="interval">The length of an interval; zero for none.</param>
/// <param name="ends">The run's sockets, as <see cref="LinkMeter.Of"/> takes them.</param>
internal sealed class IntervalMeter(
    bool showsAllCores,
    TimeSpan interval,
    TimeProvider time,
    IEnumerable<(UdpEndPoint Local, UdpEndPoint Remote)> ends) : IDisposable
{
    // Bounds the memory of a run that lasts for days: only the newest intervals are kept. With two CPUs and a thread
    // each, at one a second, these are the intervals of a day; the more of both, the fewer intervals.
    private const int MaxEntries = 4 * 86_400;

    private readonly Queue<IntervalReport> _intervals = new();
    private readonly AllocationMeter _allocation = new();
    private readonly CpuMeter _cpu = new();
    private readonly TrafficWatch _cores = new();
    private IntervalReport? _last;
    private int _entries;
    private double _lastCpuSeconds;
    private long _lastAllocatedBytes;
    private int _lastGen0Collections;
    private long _lastCompiledMethods = JitInfo.GetCompiledMethodCount();

    // Last, so that the figures of the process contain its reading of the interfaces in every run.
    private readonly LinkMeter _links = LinkMeter.Of(ends);

    public CpuSeconds Cpu => _cpu.Elapsed;

    /// <summary>
    /// Takes an interval whenever one is over, and hands it out, until the end of the run. Looks every
    /// <see cref="TrafficWatch.LookInterval"/>.
    /// </summary>
    /// <param name="startTicks">When the run began.</param>
    /// <param name="waitForEnd">Waits for at most this time; true once the run is over.</param>
    /// <param name="duration">After which the run is over too; null for no such end.</param>
    public void Run<T>(
        long startTicks,
        Func<TimeSpan, bool> waitForEnd,
        Action look,
        Func<T> take,
        Action<T>? onInterval,
        TimeSpan? duration = null)
        where T : RunInterval
    {
        for (long number = 1; WaitForInterval(number); number = NextNumber(number))
        {
            T one = take();
            Add(one.Total);
            onInterval?.Invoke(one);
        }

        // Boundaries that pass while the process is stopped are left out: intervals of no time would have no rate.
        long NextNumber(long number) =>
            Math.Max(number + 1, (time.GetElapsedTime(startTicks).Ticks / interval.Ticks) + 1);

        // False at the end of the run.
        bool WaitForInterval(long number)
        {
            while (true)
            {
                TimeSpan now = time.GetElapsedTime(startTicks);
                TimeSpan untilEnd = duration - now ?? TimeSpan.MaxValue;
                if (untilEnd <= TimeSpan.Zero || waitForEnd(TimeSpan.Zero)) return false;

                TimeSpan untilInterval = interval > TimeSpan.Zero ? (interval * number) - now : TimeSpan.MaxValue;
                if (untilInterval <= TimeSpan.Zero) return true;

                TimeSpan wait = untilEnd < untilInterval ? untilEnd : untilInterval;
                if (waitForEnd(wait < TrafficWatch.LookInterval ? wait : TrafficWatch.LookInterval)) return false;

                look();
            }
        }
    }

    /// <summary>
    /// Takes the time after the last interval. It is an interval of its own, or joins the last one where it is too
    /// short for a rate.
    /// </summary>
    public void TakeRest<T>(Func<T> take, Action<T>? onInterval)
        where T : RunInterval
    {
        if (interval == TimeSpan.Zero) return;

        T rest = take();
        if (_last is not null && rest.Total.Seconds < IntervalReport.MinRateSeconds)
        {
            _last.Extend(rest.Total);
            return;
        }

        Add(rest.Total);
        onInterval?.Invoke(rest);
    }

    /// <summary>Places are where the threads of the run had work; see <see cref="TrafficWatch.Look"/>.</summary>
    public void Look(long datagrams, Func<CpuAttribution> takePlaces) =>
        _cores.Look(datagrams, () => WithLinks(takePlaces()));

    /// <summary>Places are since the last reading of CPUs; CPU time up to the end, null for now.</summary>
    public void Fill(IntervalReport one, CpuAttribution places, double? cpuSeconds = null)
    {
        double cpu = cpuSeconds ?? _cpu.Elapsed.Total;
        long allocatedBytes = _allocation.AllocatedBytes;
        int collections = _allocation.Gen0Collections;
        long compiledMethods = JitInfo.GetCompiledMethodCount();
        one.CpuPercent = 100 * Statistics.Ratio(cpu - _lastCpuSeconds, one.Seconds);
        one.AllocatedBytes = Math.Max(0, allocatedBytes - _lastAllocatedBytes);
        one.Gen0Collections = collections - _lastGen0Collections;
        one.CompiledMethods = compiledMethods - _lastCompiledMethods;
        one.ResidentBytes = MemoryUsage.Read().ResidentBytes;
        one.Cores = _cores.TakeInterval(WithLinks(places)).Report(showsAllCores);
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

    public void FillEnd(EndReport report, CpuAttribution places)
    {
        _ = _cores.TakeInterval(WithLinks(places));
        report.SetCores(_cores.Total, showsAllCores);
        report.Links = _links.Report();
        report.Intervals = [.. _intervals];
    }

    public void Dispose() => _cores.Dispose();

    private CpuAttribution WithLinks(CpuAttribution places)
    {
        _links.AddTo(places);
        return places;
    }

    private void Add(IntervalReport one)
    {
        _entries += EntriesOf(one);
        while (_entries > MaxEntries && _intervals.Count > 0) _entries -= EntriesOf(_intervals.Dequeue());
        _intervals.Enqueue(one);
        _last = one;
    }

    private static int EntriesOf(IntervalReport one) => 1 + one.Cores.Length + one.Threads.Length;
}
