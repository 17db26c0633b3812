namespace Spate.Gateway.Pipelines;

/// <summary>What all pipelines of a gateway share, and how much memory each has.</summary>
internal sealed record PipelinePlan
{
    /// <summary>
    /// Bytes of an accounting message: about 600 dropped ranges. What does not fit goes into the next one.
    /// Accounting messages are small beside packs, and there are two buffers for each partition of each pipeline.
    /// </summary>
    public const int MaxAccountingBytes = 16 * 1024;

    public const int AccountingBuffersPerPartition = 2;

    /// <summary>
    /// The fewest buffers for each partition of a pipeline: one is filled while others wait and are published.
    /// </summary>
    public const int MinPacksPerPartition = 4;

    public required string Id { get; init; }

    /// <summary>When the gateway was started, in nanoseconds since 1970 UTC.</summary>
    public required long Epoch { get; init; }

    public required int PartitionCount { get; init; }

    public required int ConfirmWindowCapacity { get; init; }

    public required int PackBytes { get; init; }

    /// <summary>The buffers of the pool of one pipeline.</summary>
    public required int PackCount { get; init; }

    public required GatewayFullMode FullMode { get; init; }

    public required TimeSpan StalledAfter { get; init; }

    public required PackClock Clock { get; init; }

    public required TimeProvider Time { get; init; }

    public int AccountingBytes => Math.Min(PackBytes, MaxAccountingBytes);

    /// <summary>The plan of a gateway that starts now, whose options are valid.</summary>
    public static PipelinePlan Of(UdpGatewayOptions options, int pipelineCount, PackClock clock) => new()
    {
        Id = options.Id,
        Epoch = clock.Now,
        PartitionCount = options.PartitionCount,
        ConfirmWindowCapacity = options.ConfirmWindow,
        PackBytes = options.PackBytes,
        PackCount = (int)Math.Min(int.MaxValue, PacksFor(options, pipelineCount)),
        FullMode = options.FullMode,
        StalledAfter = options.StalledAfter,
        Clock = clock,
        Time = options.Socket.TimeProvider,
    };

    /// <summary>
    /// The buffers that a pipeline can have: its share of the memory, without what the client copies of a full window
    /// and without accounting messages.
    /// </summary>
    public static long PacksFor(UdpGatewayOptions options, int pipelineCount) =>
        ((options.MemoryBytes / pipelineCount) - FixedBytes(options)) / options.PackBytes;

    /// <summary>The smallest memory with which <see cref="PacksFor"/> gives enough packs.</summary>
    public static long MinMemory(UdpGatewayOptions options, int pipelineCount) => pipelineCount
        * (FixedBytes(options) + ((long)MinPacksPerPartition * options.PartitionCount * options.PackBytes));

    private static long FixedBytes(UdpGatewayOptions options) =>
        ((long)options.ConfirmWindow * options.PackBytes)
        + ((long)AccountingBuffersPerPartition * options.PartitionCount
            * Math.Min(options.PackBytes, MaxAccountingBytes));
}
