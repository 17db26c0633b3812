namespace Spate.Gateway;

/// <summary>
/// What numbers datagrams: one shard of one run of a gateway, for one partition. Sequence numbers count from 0 for each
/// key.
/// </summary>
/// <param name="GatewayId">
/// The gateway's id, 1 to 64 bytes of UTF-8. Any publisher can choose it: escape it before it is shown.
/// </param>
/// <param name="EpochUnixNanoseconds">When the gateway was started, in nanoseconds since 1970 UTC.</param>
/// <param name="Shard">The shard, 0 to 65535.</param>
/// <param name="Partition">The partition, 0 to 65535.</param>
public readonly record struct GatewayKey(string GatewayId, long EpochUnixNanoseconds, int Shard, int Partition);
