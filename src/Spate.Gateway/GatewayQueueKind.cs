namespace Spate.Gateway;

/// <summary>What a gateway commits to.</summary>
public enum GatewayQueueKind
{
    /// <summary>
    /// A stream: a log that many may read. Its confirm says that a quorum of nodes has the message in memory, not on
    /// disks.
    /// </summary>
    Stream = 0,

    /// <summary>A queue, as a rule a quorum queue, from which each message is taken once.</summary>
    Queue,
}
