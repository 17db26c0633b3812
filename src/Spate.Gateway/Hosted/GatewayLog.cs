using Microsoft.Extensions.Logging;

namespace Spate.Gateway.Hosted;

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

    [LoggerMessage(4, LogLevel.Information, "Gateway '{Gateway}', shard {Shard} is connected again.")]
    public static partial void Reconnected(this ILogger log, string gateway, int shard);

    [LoggerMessage(5, LogLevel.Error, "Shard {Shard} of gateway '{Gateway}' threw; {Count} such exceptions.")]
    public static partial void ShardFaulted(this ILogger log, Exception fault, string gateway, int shard, long count);

    [LoggerMessage(6, LogLevel.Critical, "Gateway '{Gateway}' has ended by an exception; the host is stopped.")]
    public static partial void Faulted(this ILogger log, Exception fault, string gateway);
}
