namespace Spate.Gateway;

/// <summary>
/// What a gateway, or one pipeline of it, is doing. Of several pipelines the one that is worst off counts. The numbers
/// of the values say nothing about that.
/// </summary>
public enum GatewayState
{
    /// <summary>It has not been connected yet.</summary>
    Starting = 0,

    /// <summary>What arrives is committed, or nothing arrives.</summary>
    Committing,

    /// <summary>
    /// More than half of the memory is in use, or a message has waited for its confirm for more than 2 s.
    /// </summary>
    Lagging,

    /// <summary>The broker takes nothing because it is short of memory or disk, and has said so.</summary>
    Blocked,

    /// <summary>There is no connection.</summary>
    Disconnected,

    /// <summary>
    /// No confirm has come for <see cref="UdpGatewayOptions.StalledAfter"/> although there is something to confirm.
    /// Brokers that are stopped or have a full disk send no notice.
    /// </summary>
    Stalled,

    /// <summary>
    /// The broker refuses or returns messages, or refuses the connection: a queue is missing or full, or a password
    /// is wrong. What is refused is tried again.
    /// </summary>
    Refused,

    /// <summary>It is being stopped, and commits what it holds.</summary>
    Stopping,

    /// <summary>It has stopped.</summary>
    Stopped,
}
