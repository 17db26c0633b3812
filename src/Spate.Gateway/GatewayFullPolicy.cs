namespace Spate.Gateway;

/// <summary>What a gateway drops when its memory is full.</summary>
public enum GatewayFullPolicy
{
    /// <summary>The datagrams that arrive.</summary>
    Newest = 0,

    /// <summary>
    /// Those that have waited longest and were never published; where there are none, those that arrive.
    /// </summary>
    Oldest,
}
