using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Gateway;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Gateway;

/// <summary>A <see cref="UdpGateway"/> with its measurement. Each object serves one run.</summary>
internal sealed class GatewayRun : IDisposable
{
    private readonly GatewayRunOptions _options;
    private readonly TimeProvider _time = TimeProvider.System;
    private readonly IntervalMeter _meter;
    private readonly GatewayThreads _threads;
    private readonly long _startTicks;
    private Last _last;
    private double? _firstSeconds;
    private double _lastSeconds;
    private long _seen;

    private GatewayRun(GatewayRunOptions options, UdpGateway gateway)
    {
        _options = options;
        Gateway = gateway;
        _meter = new IntervalMeter(
            showsAllCores: false,
            options.Interval,
            _time,
            gateway.LocalEndPoints.Select(static local => (local, default(UdpEndPoint))));
        _threads = new GatewayThreads(gateway);
        _startTicks = _time.GetTimestamp();
    }

    private readonly record struct Last(
        double Seconds, long Accepted, long Bytes, long Committed, long Dropped, long? KernelDrops);

    public UdpGateway Gateway { get; }

    private double Now => _time.GetElapsedTime(_startTicks).TotalSeconds;

    /// <summary>Starts the gateway, which is connected then.</summary>
    /// <param name="onBegin">Called when the options have been checked, before anything is connected.</param>
    public static GatewayRun Start(GatewayRunOptions options, Action? onBegin, CancellationToken cancellationToken)
    {
        Task<UdpGateway> start = UdpGateway.StartAsync(options.Gateway, cancellationToken);
        if (!start.IsFaulted) onBegin?.Invoke();
        return new GatewayRun(options, start.GetAwaiter().GetResult());
    }

    /// <summary>
    /// Takes datagrams in until the end that the options name, or until cancelled; both are a normal end. Then commits
    /// what was accepted, as long as <see cref="GatewayRunOptions.Drain"/> allows.
    /// </summary>
    /// <param name="onInterval">Called with every interval, on the calling thread.</param>
    public GatewayReport Run(Action<GatewayInterval> onInterval, CancellationToken cancellationToken)
    {
        _meter.Run(
            _startTicks,
            wait => Gateway.Completion.IsCompleted || cancellationToken.WaitHandle.WaitOne(wait),
            () => Look(Gateway.GetStatistics().Accepted),
            () => TakeInterval(Gateway.GetStatistics()),
            onInterval,
            _options.Duration);
        string state = NameText.Of(Gateway.State);
        GatewayStatistics stopped = Gateway.StopAsync(_options.Drain, CancellationToken.None).GetAwaiter().GetResult();
        Look(stopped.Accepted);
        _meter.TakeRest(() => TakeInterval(stopped), onInterval);
        if (Gateway.Completion.Exception?.GetBaseException() is { } fault) throw fault;

        return Report(stopped, state);
    }

    public void Dispose()
    {
        Gateway.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _threads.Dispose();
        _meter.Dispose();
    }

    // The time with traffic is known to the length of a look.
    private void Look(long accepted)
    {
        if (accepted != _seen)
        {
            _firstSeconds ??= Math.Max(0, Now - TrafficWatch.LookInterval.TotalSeconds);
            (_seen, _lastSeconds) = (accepted, Now);
        }

        _meter.Look(accepted, TakePlaces);
    }

    private GatewayInterval TakeInterval(GatewayStatistics now)
    {
        UdpCounters sockets = now.Server.Sockets;
        var taken = new Last(
            Now, now.Accepted, sockets.BytesReceived, now.Committed, now.Dropped, now.KernelDrops);
        var total = new IntervalReport
        {
            StartSeconds = _last.Seconds,
            Seconds = taken.Seconds - _last.Seconds,
            Datagrams = taken.Accepted - _last.Accepted,
            Bytes = taken.Bytes - _last.Bytes,
        };
        _meter.Fill(total, TakePlaces());
        var interval = new GatewayInterval(
            total,
            taken.Committed - _last.Committed,
            taken.Dropped - _last.Dropped,
            taken.KernelDrops - (_last.KernelDrops ?? 0),
            now);
        _last = taken;
        return interval;
    }

    private CpuAttribution TakePlaces() => _threads.TakePlaces(_meter.Cpu.Total);

    private GatewayReport Report(GatewayStatistics done, string state)
    {
        UdpGatewayOptions options = _options.Gateway;
        UdpCounters sockets = done.Server.Sockets;
        var report = new GatewayReport
        {
            Kind = GatewayReport.KindName,
            Id = options.Id,
            Target = options.Target.ToString(),
            Queue = options.Target.IsDiscard ? null : NameText.Of(options.QueueKind),
            QueueNames = NamesOf(options),
            State = state,
            Backend = NameText.Of(Gateway.Backend),
            Offloads = Gateway.CoalescedReceive ? ["gro"] : [],
            Ports = [.. Gateway.LocalEndPoints.Select(static local => local.Port).Distinct()],
            BufferAskedBytes = options.Socket.ReceiveBufferBytes ?? 0,
            BufferGrantedBytes = Gateway.ReceiveBufferBytes,
            Datagrams = done.Accepted,
            Bytes = sockets.BytesReceived,
            Seconds = _firstSeconds is { } first ? _lastSeconds - first : Now,
            Calls = sockets.ReceiveCalls,
            GsoFallbacks = sockets.GsoFallbacks,
            KernelDrops = done.KernelDrops,
            KernelDropUnit = DropUnitText.Of(done.KernelDropUnit),
            Accepted = done.Accepted,
            Committed = done.Committed,
            Dropped = done.Dropped,
            DroppedWindowFull = done.DroppedWindowFull,
            DroppedRefused = done.DroppedRefused,
            DroppedOversized = done.DroppedOversized,
            DroppedShutdown = done.DroppedShutdown,
            NotAllowed = done.NotAllowed,
            InDoubt = done.InDoubt,
            InFlight = done.InFlight,
            Difference = done.Difference,
            Unread = done.Server.Unhandled,
            MessagesConfirmed = done.Pipelines.Sum(static pipeline => pipeline.MessagesConfirmed),
            MessagesPublishedAgain = done.Pipelines.Sum(static pipeline => pipeline.MessagesPublishedAgain),
            ConnectionsLost = done.Pipelines.Sum(static pipeline => pipeline.ConnectionsLost),
            Pipelines = [.. done.Pipelines.Select(ReportOf)],
        };
        _meter.FillProcess(report);
        _meter.FillEnd(report, TakePlaces());
        report.SetWire(Gateway.LocalEndPoints.Any(static local => local.IsIPv6));
        report.SetHost();
        return report;
    }

    private static string[] NamesOf(UdpGatewayOptions options) => options switch
    {
        { Target.IsDiscard: true } or { QueueName: null } => [],
        { PartitionCount: 1, QueueName: { } name } => [name],
        { QueueName: { } name } => [.. Enumerable.Range(0, options.PartitionCount).Select(index => $"{name}-{index}")],
    };

    private static GatewayPipelineReport ReportOf(GatewayPipelineStatistics pipeline) => new()
    {
        Shard = pipeline.ShardIndex,
        State = NameText.Of(pipeline.State),
        Accepted = pipeline.Accepted,
        Committed = pipeline.Committed,
        Dropped = pipeline.Dropped,
        InDoubt = pipeline.InDoubt,
        InFlight = pipeline.InFlight,
        MessagesConfirmed = pipeline.MessagesConfirmed,
        ConnectionsLost = pipeline.ConnectionsLost,
    };
}

/// <summary>One interval of a gateway, reported while the run goes on.</summary>
/// <param name="KernelDrops">What the kernel dropped in the interval; null where unknown.</param>
internal sealed record GatewayInterval(
    IntervalReport Total, long Committed, long Dropped, long? KernelDrops, GatewayStatistics Now) : RunInterval(Total);

/// <summary>
/// Says when threads lose their brokers and find them again: one line for each change of the reason, however often a
/// broker is tried. Any thread may call.
/// </summary>
internal sealed class ConnectionNotices(Streams streams)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<int, string> _reasons = [];
    private bool _isBegun;

    /// <summary>The gateway is connected: from now on a loss is news.</summary>
    public void Begin()
    {
        lock (_lock) _isBegun = true;
    }

    public void Tell(GatewayConnectionEvent told)
    {
        int shard = told.ShardIndex;
        lock (_lock)
        {
            if (told.Reason is not { } reason)
            {
                if (_reasons.Remove(shard)) streams.Notice($"thread {shard} is reconnected");
                return;
            }

            // At the start the command ends with the reason, or succeeds.
            if (!_isBegun || string.Equals(_reasons.GetValueOrDefault(shard), reason, StringComparison.Ordinal)) return;
            _reasons[shard] = reason;
            streams.Warn(
                $"thread {shard}: {reason}; reconnecting, and keeping unconfirmed messages", DocsAnchor.GatewayStates);
        }
    }
}

/// <summary>
/// Where a gateway used CPU time: the threads that receive, each measured, and the pool threads that publish, whose
/// time is the rest of the process's. One thread at a time.
/// </summary>
internal sealed class GatewayThreads : IDisposable
{
    private readonly UdpThreadStatistics[] _threads;
    private readonly ThreadGauges _gauges;
    private ThreadIntervalReport[] _last;
    private double _lastCpuSeconds;

    public GatewayThreads(UdpGateway gateway)
    {
        _threads = [.. gateway.GetStatistics().Server.Threads];
        _gauges = new ThreadGauges(_threads.Select(static thread => thread.SystemThreadId ?? 0));
        _last = Read();
    }

    /// <summary>The work since the last call, or since the making.</summary>
    /// <param name="cpuSeconds">CPU time of the process since the making.</param>
    public CpuAttribution TakePlaces(double cpuSeconds)
    {
        ThreadIntervalReport[] now = Read();

        // The pool's threads come and go, so any CPU may work for the run.
        var places = new CpuAttribution { HasUnknownThreads = true };
        double others = 1e9 * (cpuSeconds - _lastCpuSeconds);
        bool isMeasured = true;
        for (int i = 0; i < now.Length; i++)
        {
            ThreadIntervalReport thread = now[i].Since(_last[i]);
            places.AddThread(thread, _threads[i].Cpu);
            others -= thread.CpuNanoseconds ?? 0;
            isMeasured &= thread.CpuNanoseconds is not null;
        }

        if (isMeasured) places.AddMovable((long)Math.Max(0, others));
        (_last, _lastCpuSeconds) = (now, cpuSeconds);
        return places;
    }

    public void Dispose() => _gauges.Dispose();

    private ThreadIntervalReport[] Read() => [.. _gauges.Read().Select((use, i) =>
    {
        var thread = new ThreadIntervalReport
        {
            Role = ServerThreadReport.HandleRole,
            Index = _threads[i].ShardIndex ?? ServerThreadReport.ReaderIndex,
            Cpu = use.Times.Cpu,
        };
        thread.SetUse(use);
        return thread;
    })];
}
