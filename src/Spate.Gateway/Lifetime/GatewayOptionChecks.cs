using System.Text;
using Spate.Gateway.Format;
using Spate.Gateway.Pipelines;

namespace Spate.Gateway.Lifetime;

/// <summary>Refuses options of a gateway that cannot be meant, before it opens anything.</summary>
internal static class GatewayOptionChecks
{
    private const int MaxPartitionCount = 64;
    private const int MaxThreadCount = 256;
    // The client queues 128 messages. One more, and a publish holds the lock that ending a lost connection needs
    // (SocketFrameHandler and Channel of RabbitMQ.Client 7.2.2). No more than 32 were of use where measured.
    private const int MaxConfirmWindow = 100;
    private const int MaxPrefixCount = 4096;
    private const int MaxRate = 1_000_000;
    private const int MinPackBytes = 4 * 1024;
    private const int MaxPackBytes = 1024 * 1024;
    private const int MaxQueueNameBytes = 200;
    private const long MinMemoryBytes = 1 << 20;
    private const long MaxMemoryBytes = 1L << 40;
    private const long MinQueueBytes = 1 << 20;

    private static readonly TimeSpan MinTimeout = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan MaxTimeout = TimeSpan.FromMinutes(10);

    /// <summary>Checks all options but those that the server checks itself.</summary>
    public static void Check(UdpGatewayOptions options, int pipelineCount)
    {
        ArgumentNullException.ThrowIfNull(options.LocalEndPoints, nameof(options.LocalEndPoints));
        ArgumentNullException.ThrowIfNull(options.Target, nameof(options.Target));
        ArgumentNullException.ThrowIfNull(options.AllowedPrefixes, nameof(options.AllowedPrefixes));
        ArgumentNullException.ThrowIfNull(options.Socket, nameof(options.Socket));
        ArgumentNullException.ThrowIfNull(options.Socket.TimeProvider, nameof(options.Socket.TimeProvider));
        ArgumentNullException.ThrowIfNull(options.Id, nameof(options.Id));
        RequireNamed(options.QueueKind, nameof(options.QueueKind));
        RequireNamed(options.Partitioning, nameof(options.Partitioning));
        RequireNamed(options.FullMode, nameof(options.FullMode));
        CheckRange(options.ThreadCount ?? 1, 1, MaxThreadCount, nameof(options.ThreadCount));
        CheckRange(options.PartitionCount, 1, MaxPartitionCount, nameof(options.PartitionCount));
        CheckRange(options.ConfirmWindow, 1, MaxConfirmWindow, nameof(options.ConfirmWindow));
        CheckRange(options.PackBytes, MinPackBytes, MaxPackBytes, nameof(options.PackBytes));
        CheckRange(options.PackCount ?? 1, 1, int.MaxValue, nameof(options.PackCount));
        CheckRange(options.MaxPerSecondPerPrefix ?? 1, 1, MaxRate, nameof(options.MaxPerSecondPerPrefix));
        CheckRange(options.AllowedPrefixes.Count, 0, MaxPrefixCount, nameof(options.AllowedPrefixes));
        CheckRange(options.MaxQueueBytes, MinQueueBytes, long.MaxValue, nameof(options.MaxQueueBytes));
        CheckRange(options.MemoryBytes, MinMemoryBytes, MaxMemoryBytes, nameof(options.MemoryBytes));
        CheckTime(options.PackWait, TimeSpan.FromMilliseconds(1), TimeSpan.FromSeconds(1), nameof(options.PackWait));
        CheckTime(options.ConnectTimeout, MinTimeout, MaxTimeout, nameof(options.ConnectTimeout));
        CheckTime(options.StalledAfter, MinTimeout, MaxTimeout, nameof(options.StalledAfter));
        CheckTime(
            options.DrainTimeout,
            TimeSpan.Zero,
            TimeSpan.FromMilliseconds(int.MaxValue),
            nameof(options.DrainTimeout));
        CheckId(options.Id, nameof(options.Id));
        if (!options.Target.IsDiscard) CheckQueueName(options.QueueName, nameof(options.QueueName));
        CheckMemory(options, pipelineCount, nameof(options.MemoryBytes));
    }

    private static void CheckMemory(UdpGatewayOptions options, int pipelineCount, string name)
    {
        long packCount = PipelinePlan.PacksFor(options, pipelineCount);
        if (packCount >= (long)PipelinePlan.MinPacksPerPartition * options.PartitionCount) return;
        long least = PipelinePlan.MinMemory(options, pipelineCount);
        throw new ArgumentOutOfRangeException(
            name,
            options.MemoryBytes,
            $"The memory is too little for {pipelineCount} threads with {options.PartitionCount} partitions, a confirm "
            + $"window of {options.ConfirmWindow} and messages of {options.PackBytes} bytes: give at least {least} "
            + "bytes, or reduce the others.");
    }

    private static void CheckId(string id, string name)
    {
        if (IsName(id, FormatLimits.MaxIdBytes)) return;
        throw new ArgumentException(
            $"An id has 1 to {FormatLimits.MaxIdBytes} bytes of UTF-8 and no control characters, like the name of a "
            + "host.",
            name);
    }

    private static void CheckQueueName(string? queueName, string name)
    {
        if (IsName(queueName, MaxQueueNameBytes)) return;
        throw new ArgumentException(
            $"The name of a stream or queue has 1 to {MaxQueueNameBytes} bytes of UTF-8 and no control characters: "
            + "give the stream or queue to commit to.",
            name);
    }

    private static bool IsName(string? text, int maxBytes) => !string.IsNullOrWhiteSpace(text)
        && !text.Any(char.IsControl) && Encoding.UTF8.GetByteCount(text) <= maxBytes;

    private static void CheckRange(long value, long min, long max, string name)
    {
        if (value < min || value > max)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must be from {min} to {max}.");
        }
    }

    private static void CheckTime(TimeSpan value, TimeSpan min, TimeSpan max, string name)
    {
        if (value >= min && value <= max) return;
        throw new ArgumentOutOfRangeException(
            name, value, $"{name} must be from {min.TotalMilliseconds} to {max.TotalMilliseconds} ms.");
    }

    private static void RequireNamed<T>(T value, string name)
        where T : struct, Enum
    {
        if (Enum.IsDefined(value)) return;
        throw new ArgumentOutOfRangeException(
            name, value, $"{name} has no such value: use one of {string.Join(", ", Enum.GetNames<T>())}.");
    }
}
