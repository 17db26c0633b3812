namespace Spate.Gateway;

/// <summary>The datagrams that a gateway drops when its memory is full.</summary>
public enum GatewayFullMode
{
    /// <summary>The datagrams that arrive.</summary>
    DropArriving = 0,

    /// <summary>
    /// Those that have waited longest and were never published; where there are none, those that arrive.
    /// </summary>
    DropOldest,
}
