using System.Diagnostics;
using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Usage;

namespace Spate.Measurement.HostUse;

/// <summary>The CPUs of the host, with the work of all programs. One thread at a time.</summary>
internal sealed class CpuSampler : IDisposable
{
    private readonly CpuTimesReader _reader;
    private readonly CpuThrottleMeter _throttle;
    private long _ticks;
    private IReadOnlyDictionary<int, CpuUse> _uses;

    public CpuSampler(string rootPath = "/")
    {
        _reader = new CpuTimesReader(rootPath);
        _throttle = new CpuThrottleMeter(rootPath);
        _uses = _reader.Read();
        _ticks = Stopwatch.GetTimestamp();
    }

    public CpuTotals Total { get; } = new();

    /// <summary>The time since the last call or the making. The places are where the run had work in it.</summary>
    public CpuTotals Take(CpuAttribution? places = null)
    {
        IReadOnlyDictionary<int, CpuUse> uses = _reader.Read();
        long ticks = Stopwatch.GetTimestamp();
        var sum = new CpuTotals
        {
            Seconds = Stopwatch.GetElapsedTime(_ticks, ticks).TotalSeconds,
            ThrottledSeconds = _throttle.Take() / 1e9,
        };
        foreach ((int cpu, CpuUse use) in uses)
        {
            // What a CPU did that was plugged in or out in between is not known.
            if (_uses.TryGetValue(cpu, out CpuUse earlier)) sum.Add(cpu, use - earlier);
        }

        if (places is not null) sum.Places.Add(places);
        (_uses, _ticks) = (uses, ticks);
        Total.Add(sum);
        return sum;
    }

    public void Dispose()
    {
        _reader.Dispose();
        _throttle.Dispose();
    }
}

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

/// <summary>The CPUs during a run, interval by interval and over its traffic. One thread at a time.</summary>
/// <remarks>
/// A limit is judged over the time with traffic: a CPU that was full for two seconds is no less the limit if the run
/// then waited for ten. So the CPUs are also read when the traffic begins and when it pauses. Whether datagrams moved
/// is looked up every <see cref="LookInterval"/>, whatever the length of the run's intervals is.
/// </remarks>
internal sealed class TrafficWatch(string rootPath = "/", TimeProvider? time = null) : IDisposable
{
    /// <summary>The time between two looks: what is idle at the edges of the traffic is shorter than that.</summary>
    public static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(50);

    // Sparse datagrams would otherwise cost a reading at every look.
    private static readonly TimeSpan MinTraffic = TimeSpan.FromMilliseconds(250);

    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private readonly CpuSampler _watch = new(rootPath);
    private readonly CpuTotals _traffic = new();
    private CpuTotals _interval = new();
    private long _datagrams;
    private bool _flows = true;
    private long _sinceTicks;
    private long? _lookTicks;

    /// <summary>The time with traffic, or the whole time where none was seen.</summary>
    public CpuTotals Total => _traffic.Seconds > 0 ? _traffic : _watch.Total;

    /// <summary>
    /// Notes whether datagrams moved since the last look, by the run's datagrams so far. Reads the CPUs only if that
    /// has changed: then it takes where the run had work since they were read last.
    /// </summary>
    public void Look(long datagrams, Func<CpuAttribution> takePlaces)
    {
        // Between two looks that follow at once, a gap between two calls would look like a pause.
        long ticks = _time.GetTimestamp();
        if (_lookTicks is { } last && _time.GetElapsedTime(last, ticks) < LookInterval / 2) return;

        bool moved = datagrams != _datagrams;
        bool maySwitch = !_flows || _datagrams == 0 || _time.GetElapsedTime(_sinceTicks, ticks) >= MinTraffic;
        if (moved != _flows && maySwitch)
        {
            Take(takePlaces());
            (_flows, _sinceTicks) = (moved, ticks);
        }

        (_datagrams, _lookTicks) = (datagrams, ticks);
    }

    /// <summary>
    /// Ends an interval: what the CPUs did since the last one, or since the making. The places are where the run had
    /// work since the CPUs were read last.
    /// </summary>
    public CpuTotals TakeInterval(CpuAttribution places)
    {
        Take(places);
        CpuTotals interval = _interval;
        _interval = new CpuTotals();
        return interval;
    }

    public void Dispose() => _watch.Dispose();

    // The traffic counts from the start, because a sender's begins there, but only once a datagram was seen.
    private void Take(CpuAttribution places)
    {
        CpuTotals part = _watch.Take(places);
        _interval.Add(part);
        if (_flows && _datagrams > 0) _traffic.Add(part);
    }
}

/// <summary>
/// CPU time that the process has used since the meter was made. Works on every OS. A reading is one system call
/// (getrusage, GetProcessTimes) and allocates nothing. Safe to read from any thread.
/// </summary>
internal sealed class CpuMeter
{
    private readonly Environment.ProcessCpuUsage _start = Environment.CpuUsage;

    public CpuSeconds Elapsed
    {
        get
        {
            Environment.ProcessCpuUsage now = Environment.CpuUsage;
            return new CpuSeconds(
                (now.UserTime - _start.UserTime).TotalSeconds,
                (now.PrivilegedTime - _start.PrivilegedTime).TotalSeconds);
        }
    }
}

/// <summary>CPU time of the process, all threads. Softirq work is only partly in the kernel's part.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct CpuSeconds(double User, double System)
{
    public double Total => User + System;
}

/// <summary>
/// What the process has allocated on the managed heap since the meter was made. A reading stops no thread, so it is
/// exact only to a thread's allocation block (about 8 KiB for each thread, either way). Safe to read from any thread.
/// </summary>
internal sealed class AllocationMeter
{
    private readonly long _startBytes = GC.GetTotalAllocatedBytes(precise: false);
    private readonly int _startGen0Collections = GC.CollectionCount(0);

    public long AllocatedBytes => Math.Max(0, GC.GetTotalAllocatedBytes(precise: false) - _startBytes);

    /// <summary>Collections since the meter was made: every collection collects generation 0.</summary>
    public int Gen0Collections => GC.CollectionCount(0) - _startGen0Collections;
}
