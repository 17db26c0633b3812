using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
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
            // A logger may throw; the host stops even so.
            try
            {
                _log.Faulted(fault, name);
            }
            finally
            {
                lifetime?.StopApplication();
            }
        }
    }
}

/// <summary>Says that there is a gateway of this name.</summary>
internal sealed record GatewayRegistration
{
    private const int MaxNameChars = 64;

    public GatewayRegistration(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Length is 0 or > MaxNameChars || !name.All(IsAllowed))
        {
            throw new ArgumentException(
                $"The name of a gateway has 1 to {MaxNameChars} letters, digits, hyphens, underscores and dots.",
                nameof(name));
        }

        Name = name;
    }

    public string Name { get; }

    private static bool IsAllowed(char character) =>
        char.IsAsciiLetterOrDigit(character) || character is '-' or '_' or '.';
}

/// <summary>The lines that hosted gateways log, with their event ids.</summary>
internal static partial class GatewayLog
{
    public const string Category = "Spate.Gateway.UdpGateway";

    [LoggerMessage(1, LogLevel.Information, "Gateway '{Gateway}' listens at {EndPoints} and commits to {Target}.")]
    public static partial void Started(this ILogger log, string gateway, string endPoints, string target);

    [LoggerMessage(2, LogLevel.Information,
        "Gateway '{Gateway}' has stopped: {Accepted} datagrams accepted, {Committed} committed, {Dropped} dropped, "
        + "{InDoubt} in doubt; {KernelDrops} dropped by the kernel.")]
    public static partial void Stopped(
        this ILogger log, string gateway, long accepted, long committed, long dropped, long inDoubt, long kernelDrops);

    [LoggerMessage(3, LogLevel.Warning, "Gateway '{Gateway}', shard {Shard}: {Reason}")]
    public static partial void Disconnected(this ILogger log, string gateway, int shard, string reason);

    [LoggerMessage(4, LogLevel.Information, "Gateway '{Gateway}', shard {Shard} is reconnected.")]
    public static partial void Reconnected(this ILogger log, string gateway, int shard);

    [LoggerMessage(5, LogLevel.Error, "Shard {Shard} of gateway '{Gateway}' threw; {Count} such exceptions.")]
    public static partial void ShardFaulted(this ILogger log, Exception fault, string gateway, int shard, long count);

    [LoggerMessage(6, LogLevel.Critical, "Gateway '{Gateway}' has ended by an exception; the host is stopped.")]
    public static partial void Faulted(this ILogger log, Exception fault, string gateway);
}

/// <summary>Whether a gateway listens and commits. Drops are judged between two checks.</summary>
internal sealed class GatewayHealth(HostedGateway hosted, GatewayHealthThresholds thresholds, TimeProvider time)
    : IHealthCheck
{
    private readonly Lock _lock = new();
    private (long Timestamp, long Accepted, long Dropped)? _last;
    private double _dropShare;

    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        lock (_lock) return Task.FromResult(Check(context.Registration.FailureStatus));
    }

    private HealthCheckResult Check(HealthStatus failure)
    {
        if (hosted.Gateway is not { } gateway) return new(failure, "The gateway has not started.");
        if (gateway.Completion.IsFaulted)
        {
            return new(failure, "The gateway has ended by an exception.", gateway.Completion.Exception?.InnerException);
        }

        GatewayStatistics statistics = gateway.GetStatistics();
        JudgeDrops(statistics);
        Dictionary<string, object> data = new(StringComparer.Ordinal)
        {
            ["endPoints"] = string.Join(", ", gateway.LocalEndPoints),
            ["state"] = statistics.State.ToString(),
            ["accepted"] = statistics.Accepted,
            ["committed"] = statistics.Committed,
            ["dropped"] = statistics.Dropped,
            ["inDoubt"] = statistics.InDoubt,
            ["inFlight"] = statistics.InFlight,
            ["kernelDrops"] = statistics.KernelDrops ?? -1,
            ["dropShare"] = _dropShare,
        };
        string text = TextOf(statistics.State);
        return statistics.State switch
        {
            GatewayState.Committing when _dropShare > (thresholds.MaxDropShare ?? 1) =>
                HealthCheckResult.Degraded($"Listening, committing and dropping {_dropShare:P1}.", data: data),
            GatewayState.Committing => HealthCheckResult.Healthy(text, data),
            GatewayState.Lagging or GatewayState.Blocked or GatewayState.Stopping =>
                HealthCheckResult.Degraded(text, data: data),
            _ => new(failure, text, data: data),
        };
    }

    private static string TextOf(GatewayState state) => state switch
    {
        GatewayState.Starting => "Starting: not yet connected.",
        GatewayState.Committing => "Listening and committing.",
        GatewayState.Lagging => "Lagging: the broker is slower than the arrival rate.",
        GatewayState.Blocked => "Blocked: the broker is short of memory or disk.",
        GatewayState.Disconnected => "Disconnected: no broker can be reached.",
        GatewayState.Stalled => "Stalled: the broker confirms nothing.",
        GatewayState.Refused => "Refused: the broker refuses messages or the connection.",
        GatewayState.Stopping => "Stopping.",
        _ => "The gateway has stopped.",
    };

    private void JudgeDrops(GatewayStatistics statistics)
    {
        long now = time.GetTimestamp();
        long accepted = statistics.Accepted - statistics.NotAllowed;
        long dropped = statistics.Dropped - statistics.NotAllowed;
        if (_last is { } last)
        {
            TimeSpan elapsed = time.GetElapsedTime(last.Timestamp, now);
            if (elapsed < thresholds.MinInterval || elapsed <= TimeSpan.Zero) return;
            long grown = dropped - last.Dropped;
            _dropShare = grown == 0 ? 0 : Math.Min(1, grown / (double)Math.Max(1, accepted - last.Accepted));
        }

        _last = (now, accepted, dropped);
    }
}
