namespace Spate.Gateway;

/// <summary>
/// What numbers datagrams: one shard of one run of a gateway, for one partition. Sequence numbers count from 0 for each
/// key.
/// </summary>
public readonly record struct GatewayKey
{
    /// <summary>
    /// The gateway's id, 1 to 64 bytes of UTF-8. Any publisher can choose it: escape it before it is shown.
    /// </summary>
    public required string GatewayId { get; init; }

    /// <summary>When the gateway was started, in nanoseconds since 1970 UTC.</summary>
    public required long EpochUnixNanoseconds { get; init; }

    /// <summary>The shard, 0 to 65535.</summary>
    public required int ShardIndex { get; init; }

    /// <summary>The partition, 0 to 65535.</summary>
    public required int PartitionIndex { get; init; }
}
