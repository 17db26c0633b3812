namespace Spate.Measurement.HostUse;

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
