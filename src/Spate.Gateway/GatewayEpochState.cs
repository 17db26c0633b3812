namespace Spate.Gateway;

/// <summary>Whether a run of a gateway is over, as far as its stream tells.</summary>
public enum GatewayEpochState
{
    /// <summary>No accounting message ends it: the gateway runs, or was killed.</summary>
    Open = 0,

    /// <summary>
    /// The accounting message that ends it was read: the gateway was stopped, and has said everything.
    /// </summary>
    Ended,

    /// <summary>
    /// No accounting message ends it, and a later run of the same id was read: the gateway was killed, or two gateways
    /// have one id.
    /// </summary>
    Superseded,
}
