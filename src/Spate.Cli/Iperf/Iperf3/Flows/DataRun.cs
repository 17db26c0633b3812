using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>
/// The data of a test at one end, from its beginning to its report: the course over time, what is omitted, and what
/// this end says at the end. One thread, that of the control, which calls <see cref="Tick"/> many times a second.
/// </summary>
internal sealed class DataRun : IDisposable
{
    // iperf3 drops a last interval that is shorter than a tenth of the others (iperf_api.c).
    private const double MinLastInterval = 0.1;

    private readonly Iperf3Parameters _parameters;
    private readonly IReadOnlyList<StreamLink> _links;
    private readonly IIperfObserver _observer;
    private readonly TimeSpan _interval;
    private readonly TimeProvider _time;
    private readonly HostWatch _watch;
    private readonly StreamCount[] _counts;
    private CpuMeter _cpu = new();
    private long _beginTicks;
    private long _startTicks;
    private double _lastSeconds;
    private int _intervalCount;
    private double? _endSeconds;
    private Iperf3Cpu? _endCpu;

    /// <param name="links">The streams, whose sockets are owned from now on.</param>
    public DataRun(
        Iperf3Parameters parameters,
        bool isClient,
        IReadOnlyList<StreamLink> links,
        Iperf3EndOptions settings,
        IIperfObserver observer,
        TimeProvider time)
    {
        Traffic = new Iperf3Traffic(parameters, isClient, links, settings, time);
        _parameters = parameters;
        _links = links;
        _observer = observer;
        _interval = settings.Interval;
        _time = time;
        _watch = new HostWatch(Traffic.Sockets, time);
        _counts = Traffic.Counts();
        IsOmitting = parameters.OmitSeconds > 0;
        Traffic.StartReceiving(onInterval: null);
    }

    public Iperf3Traffic Traffic { get; }

    /// <summary>Whether what is counted now is left out of the results.</summary>
    public bool IsOmitting { get; private set; }

    /// <summary>The time since the beginning, with what is omitted.</summary>
    public TimeSpan Elapsed => _time.GetElapsedTime(_beginTicks);

    public IReadOnlyList<StreamCount> Counts => _counts;

    public IEnumerable<StreamCount> Streams(bool sends) => _counts.Where((_, i) => _links[i].Sends == sends);

    private double Seconds => _endSeconds ?? _time.GetElapsedTime(_startTicks).TotalSeconds;

    /// <summary>Sends from now on, and begins the time of the test. Called once, before all that follows.</summary>
    /// <param name="receiverTicks">When it began for an end that sends nothing; null for now.</param>
    public void Begin(long? receiverTicks = null)
    {
        _cpu = new CpuMeter();
        Traffic.StartSending(onInterval: null);
        _beginTicks = _startTicks = (Traffic.Sends ? null : receiverTicks) ?? _time.GetTimestamp();
    }

    /// <summary>How long until <see cref="Tick"/> has something to tell of, or until a time that is named.</summary>
    public TimeSpan TimeToTick(TimeSpan? end, TimeSpan longest)
    {
        double left = longest.TotalSeconds;
        if (_interval > TimeSpan.Zero) left = Math.Min(left, ((_intervalCount + 1) * _interval.TotalSeconds) - Seconds);
        if (IsOmitting) left = Math.Min(left, _parameters.OmitSeconds - Elapsed.TotalSeconds);
        if (end is { } at) left = Math.Min(left, (at - Elapsed).TotalSeconds);
        return TimeSpan.FromSeconds(Math.Max(0, left));
    }

    public void Tick()
    {
        _watch.Tick();
        if (_endSeconds is not null) return;

        if (IsOmitting && Elapsed.TotalSeconds >= _parameters.OmitSeconds) EndOmitting();
        if (_interval > TimeSpan.Zero && Seconds >= (_intervalCount + 1) * _interval.TotalSeconds) TakeInterval();
    }

    /// <summary>The end was told: nothing is sent any more, and what is under way is still received.</summary>
    public void End()
    {
        _endSeconds = Seconds;
        _endCpu = CpuOf(_cpu.Elapsed, Elapsed.TotalSeconds);
        Traffic.StopSending();
    }

    public void EndIntervals()
    {
        if (_intervalCount == 0 || Seconds - _lastSeconds >= MinLastInterval * _interval.TotalSeconds) TakeInterval();
    }

    public Iperf3Results Results(TestEndReport report) => new()
    {
        Cpu = _endCpu!,
        Sends = Traffic.Sends,
        Streams = [.. _links.Select((link, i) => ResultOf(link, _counts[i]))],
        Spate = SentReport.Shorten(report),
    };

    public TestEndReport SenderReport() => Traffic.SenderReport() with { Host = _watch.Report() };

    /// <summary>Ends the receiving, and makes the report of this end.</summary>
    public TestEndReport Report()
    {
        Traffic.StopReceiving();
        return Traffic.Report() with { Host = _watch.Report() };
    }

    public void Dispose()
    {
        Traffic.Dispose();
        _watch.Dispose();
    }

    private static Iperf3Cpu CpuOf(CpuSeconds used, double seconds)
    {
        double percent = seconds > 0 ? 100 / seconds : 0;
        return new Iperf3Cpu(used.Total * percent, used.User * percent, used.System * percent);
    }

    private Iperf3StreamResult ResultOf(StreamLink link, StreamCount count)
    {
        IperfCounts all = count.All;
        return new Iperf3StreamResult
        {
            Id = link.Id,
            Bytes = all.Bytes - count.Omitted.Bytes,
            Jitter = all.JitterSeconds,
            Errors = all.Lost,
            OmittedErrors = count.Omitted.Lost,
            Packets = all.Total,
            OmittedPackets = count.Omitted.Total,
            OutOfOrder = all.OutOfOrder - count.Omitted.OutOfOrder,
            EndSeconds = Seconds,
        };
    }

    private void EndOmitting()
    {
        if (Seconds - _lastSeconds >= MinLastInterval * _interval.TotalSeconds) TakeInterval();
        IsOmitting = false;
        Traffic.ForgetJitter();
        Array.ForEach(_counts, static count => count.Omit());
        _startTicks = _time.GetTimestamp();
        (_lastSeconds, _intervalCount) = (0, 0);
    }

    private void TakeInterval()
    {
        double now = Seconds;
        IperfRow[] rows = [.. _links.Select((link, i) => new IperfRow(link.Id, link.Sends, _counts[i].TakeInterval()))];
        _observer.Tell(new IperfInterval(_lastSeconds, now, rows) { IsOmitted = IsOmitting });
        _lastSeconds = now;

        // A thread that could not run for several intervals tells of them once.
        _intervalCount = _interval > TimeSpan.Zero
            ? Math.Max(_intervalCount + 1, (int)(now / _interval.TotalSeconds))
            : _intervalCount + 1;
    }
}

/// <summary>The counts of a stream, cut into intervals and freed of what is omitted. One thread.</summary>
internal sealed class StreamCount(Func<IperfCounts> read)
{
    private IperfCounts _last;

    public IperfCounts Omitted { get; private set; }

    /// <summary>All that was counted, with what is omitted.</summary>
    public IperfCounts All => read();

    public IperfCounts Measured => Difference(read(), Omitted);

    /// <summary>What was counted since the last call.</summary>
    public IperfCounts TakeInterval()
    {
        IperfCounts now = read();
        IperfCounts interval = Difference(now, _last);
        _last = now;
        return interval;
    }

    public void Omit() => Omitted = _last = read();

    private static IperfCounts Difference(IperfCounts now, IperfCounts then) => now with
    {
        Bytes = now.Bytes - then.Bytes,
        Total = now.Total - then.Total,
        Lost = now.Lost - then.Lost,
        OutOfOrder = now.OutOfOrder - then.OutOfOrder,
    };
}

/// <summary>Notices that nothing comes any more at an end that receives. One thread, which asks often.</summary>
internal sealed class SilenceWatch(Iperf3Traffic traffic, TimeSpan patience, TimeProvider time)
{
    private long _received = -1;
    private long _heardTicks;

    /// <summary>Whether nothing came for too long; false where this end does not receive.</summary>
    public bool IsSilent()
    {
        if (!traffic.Receives) return false;

        long received = traffic.Received.Received;
        if (received != _received) (_received, _heardTicks) = (received, time.GetTimestamp());
        return time.GetElapsedTime(_heardTicks) > patience;
    }
}
