namespace Spate.Gateway;

/// <summary>
/// What one pipeline of a gateway (a shard and its connection) has done. All counts are of one moment. Datagrams are
/// counted, if nothing else is said.
/// </summary>
public sealed record GatewayPipelineStatistics
{
    /// <summary>The index of the shard, from 0.</summary>
    public required int ShardIndex { get; init; }

    /// <summary>What the pipeline is doing.</summary>
    public required GatewayState State { get; init; }

    /// <summary>Read from the socket, those not allowed included.</summary>
    public long Accepted { get; init; }

    /// <summary>Confirmed by the broker.</summary>
    public long Committed { get; init; }

    /// <summary>Dropped because the memory was full (<see cref="GatewayDropReason.WindowFull"/>).</summary>
    public long DroppedWindowFull { get; init; }

    /// <summary>Dropped because the broker refused them to the end (<see cref="GatewayDropReason.Refused"/>).</summary>
    public long DroppedRefused { get; init; }

    /// <summary>Dropped because no message can hold them (<see cref="GatewayDropReason.Oversized"/>).</summary>
    public long DroppedOversized { get; init; }

    /// <summary>Dropped because the time to stop was over (<see cref="GatewayDropReason.Shutdown"/>).</summary>
    public long DroppedShutdown { get; init; }

    /// <summary>Dropped because of their source (<see cref="GatewayDropReason.NotAllowed"/>).</summary>
    public long NotAllowed { get; init; }

    /// <summary>
    /// Published on a connection that was lost, so that they are stored or not, and not confirmed since. They are
    /// published again until they are; when the gateway has stopped, the number is final.
    /// </summary>
    public long InDoubt { get; init; }

    /// <summary>In a message that is being filled, waits, or is published and not yet confirmed.</summary>
    public long InFlight { get; init; }

    /// <summary>All that were dropped, for every reason.</summary>
    public long Dropped => DroppedWindowFull + DroppedRefused + DroppedOversized + DroppedShutdown + NotAllowed;

    /// <summary>
    /// What is missing in the account: accepted less committed, dropped, in doubt and in flight. Always 0; anything
    /// else is a fault of the gateway.
    /// </summary>
    public long Difference => Accepted - Committed - Dropped - InDoubt - InFlight;

    /// <summary>Messages published for the first time, accounting messages included.</summary>
    public long MessagesPublished { get; init; }

    /// <summary>Messages published again, after a lost connection or a refusal.</summary>
    public long MessagesPublishedAgain { get; init; }

    /// <summary>Messages confirmed, accounting messages included.</summary>
    public long MessagesConfirmed { get; init; }

    /// <summary>Messages that were published and are not confirmed now.</summary>
    public int MessagesUnconfirmed { get; init; }

    /// <summary>Full messages that wait for their first publish now.</summary>
    public int MessagesWaiting { get; init; }

    /// <summary>Connections that were lost.</summary>
    public int ConnectionsLost { get; init; }

    /// <summary>Bytes of the buffers in use now.</summary>
    public long PackBytesUsed { get; init; }

    /// <summary>Bytes of all buffers that the pipeline can have.</summary>
    public long MaxPackBytes { get; init; }
}
