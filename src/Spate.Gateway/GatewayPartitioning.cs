namespace Spate.Gateway;

/// <summary>How a gateway divides datagrams among several queues.</summary>
public enum GatewayPartitioning
{
    /// <summary>
    /// By a hash of the peer's address and port: a peer's datagrams stay together and in order. The hash has another
    /// key in each process, so that peers cannot choose their queue; a restart divides the peers anew.
    /// </summary>
    PeerHash = 0,

    /// <summary>A message to each queue in turn, without regard to the peers of its datagrams.</summary>
    RoundRobin,
}
