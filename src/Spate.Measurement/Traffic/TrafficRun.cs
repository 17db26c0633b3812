using System.Runtime;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>Runs the threads of all flows to their end and reports every interval on the calling thread.</summary>
internal sealed class TrafficRun : IDisposable
{
    private readonly string _role;
    private readonly TrafficFlow[] _flows;
    private readonly TrafficOptions _options;
    private readonly TimeProvider _time;
    private readonly FlowThread[] _threads;
    private readonly CountdownEvent _running;
    private readonly CancellationTokenSource _stop;
    private readonly IntervalMeter _meter;
    private readonly CpuClaim? _namedCpus;
    private ThreadIntervalReport[] _lastThreads = [];
    private ThreadIntervalReport[] _placedThreads = [];
    private Dictionary<string, FlowCounts> _lastParts = new(StringComparer.Ordinal);
    private FlowCounts _lastTotal;
    private double _lastSeconds;

    public TrafficRun(
        string role,
        TrafficFlow[] flows,
        TrafficOptions options,
        TimeProvider time,
        CancellationToken cancellationToken)
    {
        _role = role;
        _flows = flows;
        _options = options;
        _meter = new IntervalMeter(
            options.ShowsAllCores, options.Interval, time, flows.SelectMany(static flow => flow.Ends));
        _time = time;
        _running = new CountdownEvent(flows.Length);
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _namedCpus = options.PlacesBesidePeer ? CpuClaim.TakeAll(options.Cpus.Take(flows.Length)) : null;
        bool isPlaced = options.PlacesBesidePeer && options.Cpus.Count == 0 && flows.Length == 1;
        if (isPlaced) flows[0].PeerCpu = PeerCpu.Find(role is TrafficReport.ReceiveKind, flows[0].Ends);
        _threads = [.. flows.Select(
            flow => new FlowThread(role, flow, options.CpuOf(flow.Index), OnRunEnded, _stop.Token))];
    }

    public void Execute(Action<TrafficInterval>? onInterval, TrafficReport report)
    {
        long startTicks = _time.GetTimestamp();
        foreach (FlowThread thread in _threads)
        {
            thread.Start();
        }

        _meter.Run(
            startTicks,
            _running.Wait,
            () => _meter.Look(_flows.Sum(static flow => flow.Counters.Datagrams), TakePlaces),
            () => TakeInterval(_time.GetElapsedTime(startTicks).TotalSeconds),
            onInterval);
        double seconds = _time.GetElapsedTime(startTicks).TotalSeconds;
        _meter.FillProcess(report);
        _meter.TakeRest(() => TakeInterval(seconds), onInterval);
        _meter.FillEnd(report, TakePlaces());
        foreach (FlowThread thread in _threads)
        {
            thread.Join();
        }

        ThrowFailure();
        report.Seconds = SecondsOfFlows() ?? seconds;
        FillSocketFacts(report);
    }

    public void Dispose()
    {
        _running.Dispose();
        _meter.Dispose();
        _stop.Dispose();
        _flows[0].PeerCpu?.Dispose();
        _namedCpus?.Dispose();
    }

    private TrafficInterval TakeInterval(double nowSeconds)
    {
        var parts = new Dictionary<string, FlowCounts>(StringComparer.Ordinal);
        FlowCounts total = default;
        foreach (TrafficFlow flow in _flows)
        {
            total += flow.Sample(parts);
        }

        FlowCounts moved = total - _lastTotal;
        ThreadIntervalReport[] threads = [.. _threads.Select(static thread => thread.SampleInterval())];
        var report = new IntervalReport
        {
            StartSeconds = _lastSeconds,
            Seconds = nowSeconds - _lastSeconds,
            Datagrams = moved.Datagrams,
            Bytes = moved.Bytes,
            Lost = moved.Lost,
            Threads = Since(_lastThreads, threads),
        };
        _lastThreads = threads;
        _meter.Fill(report, TakePlaces(threads));
        TrafficInterval interval = WithFlows(report, parts);
        (_lastParts, _lastTotal, _lastSeconds) = (parts, total, nowSeconds);
        return interval;
    }

    private static ThreadIntervalReport[] Since(ThreadIntervalReport[] last, ThreadIntervalReport[] now) =>
        [.. now.Select((thread, i) => thread.Since(last.ElementAtOrDefault(i)))];

    /// <summary>Where the run had work since the last time this was called.</summary>
    private CpuAttribution TakePlaces() => TakePlaces([.. _threads.Select(static thread => thread.Sample())]);

    private CpuAttribution TakePlaces(ThreadIntervalReport[] now)
    {
        ThreadIntervalReport[] threads = Since(_placedThreads, now);
        _placedThreads = now;
        var places = new CpuAttribution();
        for (int i = 0; i < threads.Length; i++) places.AddThread(threads[i], _threads[i].Cpu, _options.Spins);
        return places;
    }

    private TrafficInterval WithFlows(IntervalReport report, Dictionary<string, FlowCounts> parts)
    {
        var moved = new List<FlowInterval>();
        foreach ((string name, FlowCounts counts) in parts)
        {
            FlowCounts difference = counts - _lastParts.GetValueOrDefault(name);
            if (difference.Datagrams != 0 || difference.Lost is not (null or 0))
            {
                moved.Add(new FlowInterval(name, difference.Datagrams, difference.Bytes, difference.Lost));
            }
        }

        IReadOnlyList<FlowInterval> busiest = parts.Count < 2 ? [] : [.. moved
            .OrderByDescending(static flow => flow.Datagrams)
            .Take(TrafficInterval.MaxFlows)
            .OrderBy(static flow => flow.Name, StringComparer.Ordinal)];
        return new TrafficInterval(report, busiest, moved.Count);
    }

    /// <summary>The seconds from the first to the last datagram; null where there was none.</summary>
    private double? SecondsOfFlows()
    {
        long startTicks = _flows.Min(static flow => flow.StartTicks);
        long endTicks = _flows.Max(static flow => flow.EndTicks);
        return endTicks < startTicks ? null : _time.GetElapsedTime(startTicks, endTicks).TotalSeconds;
    }

    private void FillSocketFacts(TrafficReport report)
    {
        UdpSocket first = _flows[0].Socket;

        // Read after the run: during it, reading would take CPU time from the traffic.
        IReadOnlyList<CpuInfo> cpus =
            Array.Exists(_threads, static thread => thread.Cpu is not null) ? CpuFacts.Read().All : [];
        report.Threads = [.. _threads.Select(thread => thread.ReportOn(cpus))];
        report.Backend = NameText.Of(first.Backend);
        report.Offloads = OffloadsOf(first);
        report.Spins = _options.Spins;
        report.Flows = _flows.Length;
        report.Ports = [.. _flows.Select(static flow => flow.Socket.LocalEndPoint.Port).Distinct()];
        foreach (TrafficFlow flow in _flows)
        {
            report.GsoFallbacks += flow.Socket.GetCounters().GsoFallbacks;
        }

        report.SetHost();
    }

    private string[] OffloadsOf(UdpSocket socket) => _role switch
    {
        TrafficReport.SendKind when socket.SegmentedSend => ["gso"],
        TrafficReport.ReceiveKind when socket.CoalescedReceive => ["gro"],
        _ => [],
    };

    private void OnRunEnded(FlowThread thread)
    {
        if (thread.Failure is not null)
        {
            // One flow has failed: the others would only delay the message.
            _stop.Cancel();
        }

        _running.Signal();
    }

    private void ThrowFailure()
    {
        foreach (FlowThread thread in _threads)
        {
            if (thread.Failure is { } fault)
            {
                throw fault as TrafficException ?? new TrafficException($"A flow failed: {fault.Message}", fault);
            }
        }
    }
}
