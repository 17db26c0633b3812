using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Measurement.HostUse;

/// <summary>What a thread used of the CPUs during its report; null where the system does not tell.</summary>
internal abstract record ThreadUseReport
{
    public long? CpuNanoseconds { get; set; }

    /// <summary>The part of it in the program, in steps of 10 ms; null where the system does not tell.</summary>
    public long? UserNanoseconds { get; set; }

    /// <summary>The part of it in the kernel, in steps of 10 ms; null where the system does not tell.</summary>
    public long? SystemNanoseconds { get; set; }

    /// <summary>Nanoseconds ready to run but waiting for a CPU; null where the system does not tell.</summary>
    public long? RunQueueNanoseconds { get; set; }

    public long? VoluntarySwitches { get; set; }

    public long? InvoluntarySwitches { get; set; }

    /// <summary>Cycles of the processor that it used; null on other systems than Windows.</summary>
    public long? Cycles { get; set; }

    internal void SetUse(ThreadUse use)
    {
        CpuNanoseconds = use.Usage.CpuNanoseconds;
        UserNanoseconds = use.Times.UserNanoseconds;
        SystemNanoseconds = use.Times.SystemNanoseconds;
        RunQueueNanoseconds = use.Usage.RunQueueNanoseconds;
        VoluntarySwitches = use.Usage.VoluntarySwitches;
        InvoluntarySwitches = use.Usage.InvoluntarySwitches;
        Cycles = use.Usage.Cycles;
    }
}

/// <summary>One measuring thread: where it ran and what it used.</summary>
internal record ThreadReport : ThreadUseReport
{
    public string Role { get; set; } = "";

    /// <summary>The CPU it was bound to; null if it was free to move.</summary>
    public int? Cpu { get; set; }

    /// <summary>The NUMA node of that CPU; null if free to move or unknown.</summary>
    public int? Node { get; set; }

    /// <summary>While datagrams came in; null for a sender and for a server.</summary>
    public ReaderSchedule? Reader { get; set; }

    internal static ThreadReport At(string role, int? cpu) => new()
    {
        Role = role,
        Cpu = cpu,
        Node = cpu is null ? null : CpuFacts.Read().All.FirstOrDefault(other => other.Number == cpu)?.Node,
    };

    /// <summary>For example <c>1 receive@3</c>: how many threads do what, and on which CPUs.</summary>
    internal static IEnumerable<string> SettingTexts(IEnumerable<ThreadReport> threads) =>
        threads.GroupBy(static one => one.Role, StringComparer.Ordinal).Select(static role =>
        {
            int[] cpus = [.. role.Select(static one => one.Cpu).OfType<int>()];
            int count = role.Count();
            string at = cpus.Length == 0 ? "any" : CpuList.Format(cpus) + (cpus.Length < count ? "+any" : "");
            return $"{ReportSetting.Text(count)} {role.Key}@{at}";
        });
}

/// <summary>What one thread of a run did in an interval.</summary>
internal sealed record ThreadIntervalReport : ThreadUseReport
{
    public string Role { get; set; } = "";

    /// <summary>The number of its flow or shard; -1 for a thread that receives for others.</summary>
    public int Index { get; set; }

    /// <summary>The CPU on which it ran last; null where the system does not tell.</summary>
    public int? Cpu { get; set; }

    public long Datagrams { get; set; }

    public long Calls { get; set; }

    /// <summary>
    /// The fewest datagrams of a call; null where no call moved any, and for a thread that receives for others: the
    /// server knows that thread's fewest and most only since the start.
    /// </summary>
    public int? LeastPerCall { get; set; }

    public double MeanPerCall => Statistics.Ratio(Datagrams, Calls);

    /// <summary>The most datagrams of a call; null where <see cref="LeastPerCall"/> is.</summary>
    public int? MostPerCall { get; set; }

    public int? Sessions { get; set; }

    /// <summary>This report, which counts from the start of the run, less an earlier one of the same thread.</summary>
    internal ThreadIntervalReport Since(ThreadIntervalReport? earlier) => earlier is null ? this : this with
    {
        Datagrams = Datagrams - earlier.Datagrams,
        Calls = Calls - earlier.Calls,
        CpuNanoseconds = CpuNanoseconds - (earlier.CpuNanoseconds ?? 0),
        RunQueueNanoseconds = RunQueueNanoseconds - (earlier.RunQueueNanoseconds ?? 0),
        UserNanoseconds = UserNanoseconds - (earlier.UserNanoseconds ?? 0),
        SystemNanoseconds = SystemNanoseconds - (earlier.SystemNanoseconds ?? 0),
        VoluntarySwitches = VoluntarySwitches - (earlier.VoluntarySwitches ?? 0),
        InvoluntarySwitches = InvoluntarySwitches - (earlier.InvoluntarySwitches ?? 0),
        Cycles = Cycles - (earlier.Cycles ?? 0),
    };

    internal (string Role, int Index) Key => (Role, Index);

    internal ThreadIntervalReport Extend(ThreadIntervalReport next) => this with
    {
        Cpu = next.Cpu,
        Datagrams = Datagrams + next.Datagrams,
        Calls = Calls + next.Calls,
        LeastPerCall = LeastPerCall < next.LeastPerCall ? LeastPerCall : next.LeastPerCall ?? LeastPerCall,
        MostPerCall = MostPerCall > next.MostPerCall ? MostPerCall : next.MostPerCall ?? MostPerCall,
        CpuNanoseconds = CpuNanoseconds + next.CpuNanoseconds,
        RunQueueNanoseconds = RunQueueNanoseconds + next.RunQueueNanoseconds,
        UserNanoseconds = UserNanoseconds + next.UserNanoseconds,
        SystemNanoseconds = SystemNanoseconds + next.SystemNanoseconds,
        VoluntarySwitches = VoluntarySwitches + next.VoluntarySwitches,
        InvoluntarySwitches = InvoluntarySwitches + next.InvoluntarySwitches,
        Cycles = Cycles + next.Cycles,
        Sessions = next.Sessions,
    };
}

[StructLayout(LayoutKind.Auto)]
internal readonly record struct ThreadUse(ThreadUsage Usage, ThreadTimes Times)
{
    public static ThreadUse operator -(ThreadUse later, ThreadUse earlier) =>
        new(later.Usage - earlier.Usage, later.Times - earlier.Times);

    public static ThreadUse operator +(ThreadUse left, ThreadUse right) => new(
        left.Usage + right.Usage,
        new ThreadTimes(
            left.Times.UserNanoseconds + right.Times.UserNanoseconds,
            left.Times.SystemNanoseconds + right.Times.SystemNanoseconds,
            right.Times.Cpu));
}

/// <summary>What one thread uses. After its end the last reading stands. Any thread may read.</summary>
internal sealed class ThreadGauge : IDisposable
{
    private readonly Lock _lock = new();
    private readonly ThreadMeter _meter;
    private readonly ThreadUse _before;
    private ThreadUse _last;
    private string? _allowedCpuList;
    private bool _hasEnded;

    public ThreadGauge()
        : this(new ThreadMeter())
    {
    }

    /// <summary>Another thread of this process by its number as of gettid(2) or GetCurrentThreadId.</summary>
    public ThreadGauge(int systemThreadId)
        : this(new ThreadMeter(systemThreadId))
    {
    }

    private ThreadGauge(ThreadMeter meter)
    {
        _meter = meter;
        _before = new ThreadUse(meter.Usage, meter.Times);
    }

    public ThreadUse Use
    {
        get
        {
            lock (_lock)
            {
                if (!_hasEnded) Read();
                return _last;
            }
        }
    }

    public string? AllowedCpuList
    {
        get
        {
            lock (_lock)
            {
                return _allowedCpuList ??= _meter.AllowedCpuList;
            }
        }
    }

    /// <summary>Takes the last reading. Called on the thread, at its end.</summary>
    public void Finish()
    {
        lock (_lock)
        {
            Read();
            _allowedCpuList = _meter.AllowedCpuList ?? _allowedCpuList;
            _hasEnded = true;
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _hasEnded = true;
            _meter.Dispose();
        }
    }

    private void Read()
    {
        var now = new ThreadUse(_meter.Usage, _meter.Times);

        // A thread that ends between the two readings has the first one only.
        if (now.Usage.CpuNanoseconds is not null && now.Times.UserNanoseconds is not null) _last = now - _before;
    }
}

/// <summary>Gauges of several threads of this process, by their system numbers, in a fixed order.</summary>
internal sealed class ThreadGauges(IEnumerable<int> systemThreadIds) : IDisposable
{
    private readonly ThreadGauge[] _gauges = [.. systemThreadIds.Select(static id => new ThreadGauge(id))];

    public ThreadUse[] Read() => [.. _gauges.Select(static gauge => gauge.Use)];

    public string?[] ReadAllowedCpuLists() => [.. _gauges.Select(static gauge => gauge.AllowedCpuList)];

    public void Dispose() => Array.ForEach(_gauges, static gauge => gauge.Dispose());
}

/// <summary>
/// Counts calls that moved datagrams, with the fewest and the most of a call. Only one thread writes; any thread may
/// read.
/// </summary>
internal sealed class CallCounters
{
    private long _datagrams;
    private long _calls;
    private int _minPerCall = int.MaxValue;
    private int _maxPerCall;

    // Fewest and most per call of an interval. The reader sets the interval's number; the writer starts over when it
    // sees a new number.
    private int _interval;
    private int _intervalSeen = -1;
    private int _minInInterval;
    private int _maxInInterval;

    public long Datagrams => Volatile.Read(ref _datagrams);

    public long Calls => Volatile.Read(ref _calls);

    /// <summary>0 before the first call.</summary>
    public int MinPerCall => Volatile.Read(ref _maxPerCall) == 0 ? 0 : Volatile.Read(ref _minPerCall);

    public int MaxPerCall => Volatile.Read(ref _maxPerCall);

    public void Count(int datagrams)
    {
        Volatile.Write(ref _datagrams, _datagrams + datagrams);
        if (datagrams < _minPerCall) Volatile.Write(ref _minPerCall, datagrams);
        if (datagrams > _maxPerCall) Volatile.Write(ref _maxPerCall, datagrams);
        CountInInterval(datagrams);
        Volatile.Write(ref _calls, _calls + 1);
    }

    /// <summary>Null where there was no call. One thread. A call just being counted may be missing.</summary>
    public (int Min, int Max)? TakeInterval()
    {
        int interval = _interval;
        if (Volatile.Read(ref _intervalSeen) != interval) return null;

        (int Min, int Max) taken = (Volatile.Read(ref _minInInterval), Volatile.Read(ref _maxInInterval));
        Volatile.Write(ref _interval, interval + 1);
        return taken;
    }

    private void CountInInterval(int datagrams)
    {
        int interval = Volatile.Read(ref _interval);
        if (interval != _intervalSeen)
        {
            Volatile.Write(ref _minInInterval, datagrams);
            Volatile.Write(ref _maxInInterval, datagrams);
            Volatile.Write(ref _intervalSeen, interval);
            return;
        }

        if (datagrams < _minInInterval) Volatile.Write(ref _minInInterval, datagrams);
        if (datagrams > _maxInInterval) Volatile.Write(ref _maxInInterval, datagrams);
    }
}
