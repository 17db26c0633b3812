using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Spate.Gateway.Hosted;

/// <summary>One gateway of a host: starts and stops with it.</summary>
internal sealed class HostedGateway(
    IServiceProvider services, string name, Func<IServiceProvider, UdpGatewayOptions> makeOptions)
    : IHostedService, IDisposable, IAsyncDisposable
{
    private readonly ILogger _log = (services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance)
        .CreateLogger(GatewayLog.Category);

    private int _stopCount;

    /// <summary>The gateway; null before the host has started it.</summary>
    public UdpGateway? Gateway { get; set; }

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        UdpGatewayOptions made = makeOptions(services);
        UdpGatewayOptions options = made with
        {
            Name = made.Name ?? name,
            OnFault = made.OnFault ?? (fault =>
                _log.ShardFaulted(fault.Exception, name, fault.ShardIndex, fault.Count)),
            OnConnection = made.OnConnection ?? OnConnection,
        };
        try
        {
            Gateway = await UdpGateway.StartAsync(options, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception fault) when (fault is GatewayException or SocketException or ArgumentException
            or InvalidOperationException or NotSupportedException)
        {
            string line = fault.Message.ReplaceLineEndings(" ");
            throw new InvalidOperationException($"The gateway '{name}' cannot start: {line}", fault);
        }

        _log.Started(name, string.Join(", ", Gateway.LocalEndPoints), options.Target.ToString());
        _ = WatchAsync(Gateway, services.GetService<IHostApplicationLifetime>());
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (Gateway is not { } gateway) return;
        GatewayStatistics done = await gateway.StopAsync(cancellationToken).ConfigureAwait(false);
        if (Interlocked.Increment(ref _stopCount) > 1) return;
        _log.Stopped(
            name, done.Accepted, done.Committed, done.Dropped, done.InDoubt, done.KernelDrops ?? 0);
    }

    // A host whose start has failed is disposed without being stopped.
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    public async ValueTask DisposeAsync()
    {
        if (Gateway is { } gateway) await gateway.DisposeAsync().ConfigureAwait(false);
    }

    private void OnConnection(GatewayConnectionEvent told)
    {
        if (told.IsConnected) _log.Reconnected(name, told.ShardIndex);
        else _log.Disconnected(name, told.ShardIndex, told.Reason ?? "The connection is lost.");
    }

    private async Task WatchAsync(UdpGateway gateway, IHostApplicationLifetime? lifetime)
    {
        try
        {
            await gateway.Completion.ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            _log.Faulted(fault, name);
            lifetime?.StopApplication();
        }
    }
}
