namespace Spate.Gateway;

/// <summary>
/// Why a gateway dropped a datagram that it had received. The numbers are those of the message format.
/// </summary>
public enum GatewayDropReason
{
    /// <summary>The default value; no datagram is dropped for it.</summary>
    None = 0,

    /// <summary>There was no memory left: the broker took less than what came.</summary>
    WindowFull = 1,

    /// <summary>The broker refused or returned it, and the time to stop was over.</summary>
    Refused = 2,

    /// <summary>It does not fit into a message (<see cref="UdpGatewayOptions.PackBytes"/>).</summary>
    Oversized = 3,

    /// <summary>The gateway was stopped, and the time for what it still held was over.</summary>
    Shutdown = 4,

    /// <summary>
    /// Its source is in none of the allowed prefixes, or its prefix sends more than it may. Such a datagram has no
    /// sequence number.
    /// </summary>
    NotAllowed = 5,
}
