using System.Collections.Concurrent;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Spate.Serving;

namespace Spate.Hosting.Hosted;

/// <summary>One server of a host: starts and stops with it.</summary>
internal sealed class HostedServer(IServiceProvider services, string name)
    : IHostedService, IDisposable, IAsyncDisposable
{
    private readonly ConcurrentDictionary<int, HostedHandler> _handlers = new();
    private readonly ILogger _log = (services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance)
        .CreateLogger(ServerLog.Category);

    private UdpHostedServerOptions _options = new();
    private ServerWatch? _watch;
    private int _stopCount;

    /// <summary>The server; null before the host has started it.</summary>
    public UdpServer? Server { get; private set; }

    /// <summary>The handlers by shard, those of shards that were taken away included.</summary>
    public IEnumerable<KeyValuePair<int, HostedHandler>> Handlers => _handlers;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        _options = services.GetRequiredService<IOptionsMonitor<UdpHostedServerOptions>>().Get(name);
        TimeProvider time = services.GetService<TimeProvider>() ?? TimeProvider.System;
        UdpServerOptions options = _options.ToServerOptions(name, time, OnFault);
        UdpServer server = Start(options);
        Server = server;
        _log.Started(
            name,
            string.Join(", ", server.LocalEndPoints),
            server.ThreadCount,
            server.Design.ToString(),
            server.Backend.ToString());
        CheckBuffers(server, options.Socket);
        _watch = new ServerWatch(name, server.GetStatistics, _log, time);
        _ = WatchAsync(server, services.GetService<IHostApplicationLifetime>());
        return Task.CompletedTask;
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (Server is not { } server) return;
        _watch?.Dispose();
        UdpServerStatistics done = await server.StopAsync(_options.DrainTimeout, cancellationToken)
            .ConfigureAwait(false);
        if (Interlocked.Increment(ref _stopCount) > 1) return;
        _log.Stopped(
            name,
            done.Handled,
            done.DatagramsFaulted(),
            done.Sockets.KernelDrops ?? 0,
            done.Sockets.DatagramsSent);
        if (done.Unhandled == 0 && done.StuckShards.Count == 0) return;
        _log.StoppedEarly(name, done.Unhandled, done.StuckShards.Count);
    }

    // A host whose start has failed is disposed without being stopped.
    public void Dispose()
    {
        _watch?.Dispose();
        Server?.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        _watch?.Dispose();
        if (Server is { } server) await server.DisposeAsync().ConfigureAwait(false);
    }

    private UdpServer Start(UdpServerOptions options)
    {
        try
        {
            return UdpServer.Start(options, HandlerFactory);
        }
        catch (Exception fault) when (fault is SocketException or ArgumentException or InvalidOperationException
            or NotSupportedException)
        {
            // The message of an argument out of its range has its value on a line of its own.
            throw new InvalidOperationException(
                $"The UDP server '{name}' (Udp:{name}) cannot start: {fault.Message.ReplaceLineEndings(" ")}", fault);
        }
    }

    // Called on the thread of the shard.
    private HostedHandler HandlerFactory(UdpShard shard)
    {
        AsyncServiceScope scope = services.CreateAsyncScope();
        try
        {
            scope.ServiceProvider.GetRequiredService<ShardHolder>().Shard = shard;
            UdpHandler handler = _options.HandlerFactory!(scope.ServiceProvider, shard)
                ?? throw new InvalidOperationException(
                    "handlerFactory returned null: return a handler for every shard.");
            return _handlers[shard.Index] = new HostedHandler(handler, scope);
        }
        catch
        {
            HostedHandler.End(scope);
            throw;
        }
    }

    // The server calls this once per kind of exception and 10 s.
    private void OnFault(UdpServerFault fault) =>
        _log.HandlerFaulted(fault.Exception, name, fault.ShardIndex, fault.Count);

    private void CheckBuffers(UdpServer server, UdpSocketOptions asked)
    {
        int receiveBytes = server.ReceiveBufferBytes, sendBytes = server.SendBufferBytes;
        bool isReceiveSmaller = asked.ReceiveBufferBytes > receiveBytes;
        bool isSendSmaller = asked.SendBufferBytes > sendBytes;
        if (!isReceiveSmaller && !isSendSmaller) return;
        _log.BuffersSmaller(
            name,
            receiveBytes,
            asked.ReceiveBufferBytes ?? receiveBytes,
            sendBytes,
            asked.SendBufferBytes ?? sendBytes,
            !isSendSmaller ? "net.core.rmem_max"
                : !isReceiveSmaller ? "net.core.wmem_max" : "net.core.rmem_max and net.core.wmem_max");
    }

    private async Task WatchAsync(UdpServer server, IHostApplicationLifetime? lifetime)
    {
        try
        {
            await server.Completion.ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            // A logger may throw; the host stops even so.
            try
            {
                _log.ServerFaulted(fault, name, _options.ServerExceptionBehavior);
            }
            finally
            {
                bool stops = _options.ServerExceptionBehavior == UdpServerExceptionBehavior.StopHost;
                if (stops) lifetime?.StopApplication();
            }
        }
    }
}
