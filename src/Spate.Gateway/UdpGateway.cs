using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Spate.Gateway.Diagnostics;
using Spate.Gateway.Lifetime;
using Spate.Gateway.Packing;
using Spate.Gateway.Pipelines;
using Spate.Gateway.Publishing;
using Spate.Serving;

namespace Spate.Gateway;

/// <summary>
/// Receives datagrams, packs them into messages and commits those to RabbitMQ, and keeps account: accepted = committed
/// + dropped, by reason + in doubt + in flight, at every moment (<see cref="GatewayStatistics.Difference"/>). Every
/// datagram has a sequence number, so that a reader can prove what is missing. Any thread may call the members.
/// </summary>
/// <example><code>
/// await using UdpGateway gateway = await UdpGateway.StartAsync(new UdpGatewayOptions
/// {
///     LocalEndPoints = [UdpEndPoint.Any(514)],
///     Target = GatewayTarget.Parse("amqp://localhost"),
///     QueueName = "logs",
/// });
/// </code></example>
public sealed class UdpGateway : IAsyncDisposable
{
    private static readonly TimeSpan AccountingInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MinTick = TimeSpan.FromMilliseconds(1);

    /// <summary>How long the last accounting messages may take when the time for the rest is over.</summary>
    private static readonly TimeSpan FarewellTime = TimeSpan.FromSeconds(1);

    private readonly UdpServer _server;
    private readonly GatewayPipelines _pipelines;
    private readonly TimeSpan _drainTimeout;
    private readonly ITimer _beat;
    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _drainEnd = new();
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private StrongBox<UdpCounters>? _socketsAtStop;
    private Task? _stop;
    private long _drainEndTicks = long.MaxValue;

    private UdpGateway(UdpGatewayOptions options, UdpServer server, GatewayPipelines pipelines)
    {
        Name = options.Name;
        _server = server;
        _pipelines = pipelines;
        _drainTimeout = options.DrainTimeout;
        _pipelines.Start();
        _beat = options.Socket.TimeProvider.CreateTimer(
            static gateway => ((UdpGateway)gateway!).Heartbeat(), this, AccountingInterval, AccountingInterval);
        GatewayMeter.Add(this, Name, GetStatistics);
        _ = StopOnFaultAsync();
    }

    /// <summary>The name in logs and metrics; null for none.</summary>
    public string? Name { get; }

    /// <summary>
    /// The addresses and ports that the gateway receives at; where port 0 was asked for, the port that the system
    /// chose.
    /// </summary>
    public IReadOnlyList<UdpEndPoint> LocalEndPoints => _server.LocalEndPoints;

    /// <summary>The backend of the sockets.</summary>
    public UdpBackend Backend => _server.Backend;

    /// <summary>Whether the sockets receive coalesced buffers.</summary>
    public bool CoalescedReceive => _server.CoalescedReceive;

    /// <summary>The receive buffer that the first socket was granted, in bytes.</summary>
    public int ReceiveBufferBytes => _server.ReceiveBufferBytes;

    /// <summary>
    /// What the gateway is doing: the state of the pipeline that is worst off, until it is stopped.
    /// </summary>
    public GatewayState State => StateOf(_pipelines.Read());

    /// <summary>
    /// Completes when the gateway has stopped. Faults if an exception of its own, and not of the network, ended it.
    /// </summary>
    public Task Completion => _completion.Task;

    /// <summary>
    /// Connects every pipeline, looks at the queues or declares them, and then begins to receive.
    /// </summary>
    /// <param name="options">The gateway's options.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="ArgumentException">An option is out of its range; the message says what it may be.</exception>
    /// <exception cref="GatewayException">No broker could be reached in time, or it refused: one line.</exception>
    /// <exception cref="SocketException">A port is busy, or an address is not here.</exception>
    /// <exception cref="InvalidOperationException">See <see cref="UdpServer.Start"/>.</exception>
    /// <exception cref="NotSupportedException">An option cannot be had on this system.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Task<UdpGateway> StartAsync(
        UdpGatewayOptions options, CancellationToken cancellationToken = default) =>
        StartAsync(options, GatewayLinks.Of, cancellationToken);

    /// <summary>What the gateway has done so far. It can be called after the gateway has stopped.</summary>
    public GatewayStatistics GetStatistics()
    {
        IReadOnlyList<GatewayPipelineStatistics> pipelines = _pipelines.Read();
        UdpServerStatistics server = _server.GetStatistics();
        return new GatewayStatistics
        {
            State = StateOf(pipelines),
            Pipelines = pipelines,
            Server = server,

            // Read last, so that what was refused at the stop is never without it.
            KernelDropsAtStop = Volatile.Read(ref _socketsAtStop)?.Value.KernelDrops,
        };
    }

    /// <summary>Stops as the other overload does, with <see cref="UdpGatewayOptions.DrainTimeout"/>.</summary>
    /// <inheritdoc cref="StopAsync(TimeSpan, CancellationToken)"/>
    public Task<GatewayStatistics> StopAsync(CancellationToken cancellationToken = default) =>
        StopAsync(_drainTimeout, cancellationToken);

    /// <summary>
    /// Stops receiving, commits what was accepted, sends the last accounting messages and closes. What could not be
    /// committed in time is told, here and in the accounting messages. It may be called any number of times; the
    /// earliest end of the time counts.
    /// </summary>
    /// <param name="drainTimeout">
    /// The longest time for queued and held datagrams, zero or more. The call takes at most about 5 s longer.
    /// </param>
    /// <param name="cancellationToken">Cancelling ends that time. The gateway stops even so.</param>
    /// <returns>The statistics at the stop.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative, or more than 24 days.</exception>
    public async Task<GatewayStatistics> StopAsync(TimeSpan drainTimeout, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(drainTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(drainTimeout, TimeSpan.FromMilliseconds(int.MaxValue));
        Task stop;
        lock (_lock)
        {
            long endTicks = Environment.TickCount64 + (long)drainTimeout.TotalMilliseconds;
            if (endTicks < _drainEndTicks && _stop is not { IsCompleted: true })
            {
                _drainEndTicks = endTicks;
                _drainEnd.CancelAfter(drainTimeout);
            }

            stop = _stop ??= Task.Run(() => StopCoreAsync(drainTimeout), CancellationToken.None);
        }

        using CancellationTokenRegistration hurry = cancellationToken.UnsafeRegister(
            static end => ((CancellationTokenSource)end!).Cancel(), _drainEnd);
        await stop.ConfigureAwait(false);
        return GetStatistics();
    }

    /// <summary>
    /// Stops as <see cref="StopAsync(CancellationToken)"/> does. Never throws: <see cref="Completion"/> has the
    /// exception that ended the gateway or its stop.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        Task stop = StopAsync(_drainTimeout);
        await stop.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    internal static async Task<UdpGateway> StartAsync(
        UdpGatewayOptions options,
        Func<UdpGatewayOptions, Func<int, ILink>> linksOf,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        bool hasShards = OperatingSystem.IsLinux() || OperatingSystem.IsMacOS();
        int pipelineCount = options.ThreadCount ?? (hasShards ? Math.Clamp(Environment.ProcessorCount, 1, 256) : 1);
        GatewayOptionChecks.Check(options, pipelineCount);
        PackClock clock = new(options.Socket.TimeProvider);
        PipelinePlan plan = PipelinePlan.Of(options, pipelineCount, clock);

        // Aside, since the file with the authorities may be a pipe that nobody writes to.
        Func<int, ILink> makeLink = await Task.Run(() => linksOf(options), cancellationToken)
            .WaitAsync(cancellationToken).ConfigureAwait(false);
        GatewayPipelines pipelines = new(plan, pipelineCount, makeLink, options.OnConnection);
        try
        {
            await pipelines.ConnectAsync(options.ConnectTimeout, cancellationToken).ConfigureAwait(false);
            return new UdpGateway(options, StartServer(options, pipelineCount, pipelines, clock), pipelines);
        }
        catch
        {
            await pipelines.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static UdpServer StartServer(
        UdpGatewayOptions options, int pipelineCount, GatewayPipelines pipelines, PackClock clock)
    {
        TimeSpan tick = TimeSpan.FromTicks(Math.Max(MinTick.Ticks, options.PackWait.Ticks / 2));
        PrefixRanges? allowed = options.AllowedPrefixes.Count > 0 ? new PrefixRanges(options.AllowedPrefixes) : null;
        PackHandlerOptions handlers = new(options, allowed, clock, tick);
        bool hasWildcard = options.LocalEndPoints.Any(endPoint => endPoint.Address.IsUnspecified);
        UdpMetadata localAddress = hasWildcard ? UdpMetadata.LocalAddress : UdpMetadata.None;
        UdpServerOptions server = new()
        {
            Name = options.Name,
            LocalEndPoints = options.LocalEndPoints,
            ThreadCount = pipelineCount,
            Steering = options.Steering,
            TickInterval = tick,
            OnFault = options.OnFault,
            Socket = options.Socket with { Metadata = options.Socket.Metadata | localAddress },
        };
        return UdpServer.Start(server, shard =>
        {
            pipelines[shard.Index].Open(shard.LocalEndPoints);
            return new PackHandler(pipelines[shard.Index], shard, handlers);
        });
    }

    private GatewayState StateOf(IReadOnlyList<GatewayPipelineStatistics> pipelines)
    {
        if (_completion.Task.IsCompleted) return GatewayState.Stopped;
        if (Volatile.Read(ref _stop) is not null) return GatewayState.Stopping;
        return GatewayStateRank.WorstOf(pipelines);
    }

    private void Heartbeat() => _pipelines.Heartbeat(_server.GetStatistics().Sockets);

    private async Task StopCoreAsync(TimeSpan drain)
    {
        Exception? fault = null;
        try
        {
            // What arrives from here on is refused, and the kernel counts that as drops too.
            var sockets = new StrongBox<UdpCounters>(_server.GetStatistics().Sockets);
            Volatile.Write(ref _socketsAtStop, sockets);
            await _server.StopAsync(drain, _drainEnd.Token).ConfigureAwait(false);
            _pipelines.Heartbeat(sockets.Value);
            _pipelines.Complete();
            Task ends = _pipelines.AllEnds;
            await ends.WaitAsync(_drainEnd.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!ends.IsCompleted)
            {
                _pipelines.GiveUp();
                await Task.WhenAny(ends, Task.Delay(FarewellTime, CancellationToken.None)).ConfigureAwait(false);
            }

            if (ends.IsFaulted) fault = ends.Exception.InnerException;
        }
        catch (Exception unexpected)
        {
            fault = unexpected;
        }

        Exception? endOfBeat = await FaultOfAsync(_beat).ConfigureAwait(false);
        Exception? endOfPipelines = await FaultOfAsync(_pipelines).ConfigureAwait(false);
        fault ??= endOfBeat ?? endOfPipelines;
        fault ??= _server.Completion.Exception?.InnerException;
        GatewayMeter.Remove(this);
        if (fault is null) _completion.TrySetResult();
        else _completion.TrySetException(fault);
    }

    // Disposes one part, and returns its exception so that the next part is disposed too.
    private static async Task<Exception?> FaultOfAsync(IAsyncDisposable part)
    {
        try
        {
            await part.DisposeAsync().ConfigureAwait(false);
            return null;
        }
        catch (Exception fault)
        {
            return fault;
        }
    }

    // Without one of its threads or loops the gateway would receive and lose.
    private async Task StopOnFaultAsync()
    {
        await Task.WhenAny(_server.Completion, _pipelines.FirstEnd).ConfigureAwait(false);
        await StopAsync(_drainTimeout).ConfigureAwait(false);
    }
}
