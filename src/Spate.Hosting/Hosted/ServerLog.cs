using Microsoft.Extensions.Logging;

namespace Spate.Hosting.Hosted;

/// <summary>The lines that hosted servers log, with their event ids.</summary>
internal static partial class ServerLog
{
    public const string Category = "Spate.Hosting.UdpServer";

    [LoggerMessage(1, LogLevel.Information,
        "UDP server '{Server}' listens at {EndPoints} with {Threads} threads ({Design}, {Backend}).")]
    public static partial void Started(
        this ILogger log, string server, string endPoints, int threads, string design, string backend);

    [LoggerMessage(2, LogLevel.Information,
        "UDP server '{Server}' has stopped. Datagrams: {Handled} given to handlers, {Faulted} of them "
        + "lost because a handler threw, {KernelDrops} dropped by the kernel, {Sent} sent.")]
    public static partial void Stopped(
        this ILogger log, string server, long handled, long faulted, long kernelDrops, long sent);

    [LoggerMessage(3, LogLevel.Warning,
        "UDP server '{Server}' has stopped before it was drained: {Unhandled} datagrams were not handled, and the "
        + "handlers of {StuckShards} shards have not returned. Give more time (DrainTimeout, "
        + "HostOptions.ShutdownTimeout).")]
    public static partial void StoppedEarly(this ILogger log, string server, long unhandled, int stuckShards);

    [LoggerMessage(4, LogLevel.Error,
        "The handler of UDP server '{Server}', shard {Shard}, threw ({Count} times since the last line).")]
    public static partial void HandlerFaulted(this ILogger log, Exception fault, string server, int shard, long count);

    [LoggerMessage(5, LogLevel.Warning,
        "UDP server '{Server}' lost datagrams in {Seconds:0} s: {KernelDrops} dropped by the kernel because a receive "
        + "buffer was full, {ChannelDrops} because a channel was, {Faulted} in handlers that threw, {Replies} replies "
        + "because a send buffer was full.")]
    public static partial void Dropping(
        this ILogger log,
        string server,
        double seconds,
        long kernelDrops,
        long channelDrops,
        long faulted,
        long replies);

    [LoggerMessage(6, LogLevel.Warning,
        "UDP server '{Server}': {Count} GSO fallbacks in {Seconds:0} s: routes refused GSO messages; the peers on "
        + "them get plain datagrams.")]
    public static partial void FellBack(this ILogger log, string server, long count, double seconds);

    [LoggerMessage(7, LogLevel.Warning,
        "UDP server '{Server}' refused new sessions in {Seconds:0} s: {Full} because a table was full, {ByPrefix} by "
        + "the limit per prefix, {ByRate} by the limit of all peers (SessionTableOptions).")]
    public static partial void SessionsRefused(
        this ILogger log, string server, double seconds, long full, long byPrefix, long byRate);

    [LoggerMessage(8, LogLevel.Critical, "UDP server '{Server}' has ended by an exception: {Action}.")]
    public static partial void ServerFaulted(
        this ILogger log, Exception fault, string server, UdpServerExceptionBehavior action);

    [LoggerMessage(9, LogLevel.Warning,
        "UDP server '{Server}' was granted smaller buffers than it requested: {ReceiveBytes} of {AskedReceiveBytes} "
        + "bytes to receive, {SendBytes} of {AskedSendBytes} to send; on Linux raise {Settings}.")]
    public static partial void BuffersSmaller(
        this ILogger log,
        string server,
        int receiveBytes,
        int askedReceiveBytes,
        int sendBytes,
        int askedSendBytes,
        string settings);
}
