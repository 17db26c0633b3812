using System.Net.Sockets;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>
/// A <see cref="UdpServer"/> with one of four applications, measured thread by thread. Each object serves one run:
/// <see cref="Run"/> blocks; cancel its token to end it.
/// </summary>
internal sealed class ServeRun : IDisposable
{
    private static readonly TimeSpan DrainTimeout = TimeSpan.FromSeconds(2);

    private readonly ServeOptions _options;
    private readonly TimeProvider _time;
    private readonly ServeLimit _limit;
    private readonly ServeLedgers _ledgers;
    private readonly List<AppHandler> _handlers = [];
    private readonly ManualResetEventSlim _mayEnd = new();
    private readonly ServeMeter _meter;
    private readonly SenderWatch? _senders;
    private readonly ServeCpus _cpus;
    private bool _isEndedBySenders;

    private ServeRun(ServeOptions options, ServeCpus cpus, TimeProvider time)
    {
        _cpus = cpus;
        _options = options;
        _time = time;
        _ledgers = new ServeLedgers(options.Accounting);
        _limit = new ServeLimit(options.DatagramCount, _mayEnd.Set);
        if (options.WorkRounds > 0) WorkNanosecondsPerRound = WorkLoad.MeasureNanosecondsPerRound();
        Server = UdpServer.Start(options.ToServerOptions(fault => LastFault = fault), MakeHandler);
        _meter = new ServeMeter(Server, _handlers, _ledgers, time, options);
        if (options.EndsWithSenders) _senders = new SenderWatch(_ledgers, time, options.Patience);
        _ = Server.Completion.ContinueWith(
            _ => _mayEnd.Set(), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
    }

    public UdpServer Server { get; }

    public double? WorkNanosecondsPerRound { get; }

    public UdpServerFault? LastFault { get; private set; }

    /// <summary>
    /// Whether ICMP errors came back for datagrams that a relay forwarded: probably no program receives at a
    /// destination's port. Valid after the run; false for other applications, and where the system does not tell.
    /// </summary>
    public bool HasMetClosedPort =>
        _options.App == ServeApp.Relay && _meter.HasMetClosedPort(_options.Destinations.Count);

    public bool KeepsPeers => Server.Shards[0].KeepsPeers;

    private int ThreadCount => _options.ThreadCount > 0 ? _options.ThreadCount : Environment.ProcessorCount;

    /// <summary>Starts the server: from now on datagrams are handled.</summary>
    /// <exception cref="SocketException">A port is in use, or an address is not this machine's.</exception>
    public static ServeRun Start(ServeOptions options, TimeProvider? timeProvider = null)
    {
        options.Validate();
        var cpus = ServeCpus.Take(options);
        try
        {
            return RequireNoLoop(new ServeRun(
                options with { Cpus = cpus.Numbers }, cpus, timeProvider ?? TimeProvider.System));
        }
        catch (Exception fault)
        {
            cpus.Dispose();
            if (fault is not InvalidOperationException) throw;

            throw new TrafficException($"The server could not start: {fault.Message}", fault);
        }
    }

    /// <summary>
    /// Serves until the end that the options name, or until cancelled; both are a normal end. Then handles what is
    /// queued, for two seconds at most, and stops.
    /// </summary>
    /// <param name="onInterval">Called with every interval, on the calling thread; null for no progress.</param>
    public ServeReport Run(Action<ServeInterval>? onInterval = null, CancellationToken cancellationToken = default)
    {
        using (cancellationToken.Register(_mayEnd.Set))
        {
            _meter.Intervals.Run(
                _time.GetTimestamp(),
                wait => _mayEnd.Wait(wait, CancellationToken.None) || (wait == TimeSpan.Zero && HaveSendersEnded()),
                _meter.Look,
                _meter.TakeInterval,
                onInterval,
                _options.Duration);
        }

        ServeReport report = new()
        {
            Kind = ServeReport.KindName,
            App = NameText.Of(_options.App),
            BufferAskedBytes = _options.Transport.ReceiveBufferBytes,
            Design = _options.Design.Name,
            KeepsPeers = KeepsPeers,
            WorkRounds = _options.WorkRounds,
            WorkNanosecondsPerRound = WorkNanosecondsPerRound,
            AnswersPerPeer = _options.App == ServeApp.Echo ? _options.AnswersPerPeer : null,
            SilentSenders = _isEndedBySenders ? _senders!.SilentSenders : 0,
            PatienceSeconds = _senders is null ? null : _options.Patience.TotalSeconds,
        };
        _meter.Stop(() => Server.StopAsync(DrainTimeout).GetAwaiter().GetResult(), report);
        if (Server.Completion.Exception?.GetBaseException() is { } fault)
        {
            throw new TrafficException($"The server ended by a fault: {fault.Message}", fault);
        }

        _meter.Intervals.TakeRest(_meter.TakeLastInterval, onInterval);
        _meter.Fill(report);
        return report;
    }

    public void Dispose()
    {
        Server.Dispose();
        _meter.Dispose();
        _mayEnd.Dispose();
        _cpus.Dispose();
    }

    /// <summary>Checks for a loop again, now that the ports that the system chose are known.</summary>
    private static ServeRun RequireNoLoop(ServeRun run)
    {
        if (RelayLoop.Find(run.Server.LocalEndPoints, run._options.Destinations) is not { } destination) return run;
        run.Dispose();
        throw new TrafficException(
            $"The destination {destination} is where this relay listens: it would send to itself without end.");
    }

    private AppHandler MakeHandler(UdpShard shard)
    {
        AppHandler handler = _options.App switch
        {
            ServeApp.Count => new CountHandler(
                shard, _options, _limit, _time, _ledgers.Open(shard.KeepsPeers, ThreadCount)),
            ServeApp.Echo => new EchoHandler(shard, _options, _limit, _time),
            ServeApp.Discard => new DiscardHandler(shard, _options, _limit, _time),
            _ => new RelayHandler(shard, _options, _limit, _time),
        };
        lock (_handlers) _handlers.Add(handler);
        return handler;
    }

    private bool HaveSendersEnded() => _isEndedBySenders = _senders?.HaveAllEnded() == true;
}

/// <summary>The CPUs of a server's threads, with the claim by which other ends leave them alone.</summary>
/// <param name="numbers">The CPUs, for the threads in turn; empty where the system chooses.</param>
internal sealed class ServeCpus(IReadOnlyList<int> numbers, CpuClaim? claim) : IDisposable
{
    public IReadOnlyList<int> Numbers => numbers;

    /// <summary>The named CPUs, or the receiver's CPU where all senders are on this host.</summary>
    public static ServeCpus Take(ServeOptions options)
    {
        IReadOnlyList<int> named = options.Cpus;
        if (!options.PlacesBesidePeer) return new ServeCpus(named, claim: null);

        if (named.Count > 0) return new ServeCpus(named, CpuClaim.TakeAll(named.Take(options.AllThreadCount)));

        // The threads of a server stay where they began, so a server that anyone may send to is not placed.
        bool isPlaced = options.AllThreadCount == 1
            && options.LocalEndPoints.All(static local => local.Address.IsLoopback);
        return isPlaced && PeerCpu.OfServer() is { } cpu && CpuClaim.TryTake(cpu) is { } claim
            ? new ServeCpus([cpu], claim)
            : new ServeCpus([], claim: null);
    }

    public void Dispose() => claim?.Dispose();
}
