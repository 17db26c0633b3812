namespace Spate.Gateway;

/// <summary>
/// A pipeline of a gateway has lost its connection, is refused, or is connected again:
/// <see cref="UdpGatewayOptions.OnConnection"/>.
/// </summary>
public sealed record GatewayConnectionEvent
{
    /// <summary>The pipeline, by the index of its shard.</summary>
    public required int ShardIndex { get; init; }

    /// <summary>Whether the pipeline is connected now.</summary>
    public required bool IsConnected { get; init; }

    /// <summary>Why it is not, in one line; null when it is connected.</summary>
    public string? Reason { get; init; }
}
