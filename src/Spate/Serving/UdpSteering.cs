namespace Spate.Serving;

/// <summary>
/// How the kernel chooses the shard of a datagram (<see cref="UdpServerDesign.Sharded"/>). Programs are classic BPF
/// (SO_ATTACH_REUSEPORT_CBPF, Linux 4.5).
/// </summary>
public enum UdpSteering
{
    /// <summary><see cref="FlowHash"/> on Linux, otherwise <see cref="Kernel"/>.</summary>
    Automatic,

    /// <summary>
    /// The kernel's own hash of both addresses and ports. A shard cannot be taken away without loss, so that is
    /// refused.
    /// </summary>
    Kernel,

    /// <summary>
    /// A hash of the peer's address and port. Each server has a key of its own, so peers cannot choose their shard.
    /// Shards can be added and taken away; most peers then move to another shard.
    /// </summary>
    FlowHash,

    /// <summary>
    /// The CPU on which the kernel received the datagram: the thread that is tied to that CPU
    /// (<see cref="UdpServerOptions.CpuIndexes"/>) finds the datagram in its cache. It does not keep peers, because
    /// they may move between shards when the interface's interrupts move between CPUs.
    /// </summary>
    Cpu,

    /// <summary>
    /// A shard drawn at random for each buffer that arrives, so that even one sender keeps all threads busy. Without
    /// coalescing a buffer is one datagram. A coalesced buffer has up to 64 datagrams of one peer, which stay together.
    /// Peers are not kept: their datagrams are handled by several threads at once, so that their order is lost, and
    /// tables of sessions are refused (<see cref="UdpShard.CreateSessionTable{TSession}"/>). Shards can be added and
    /// taken away.
    /// </summary>
    Spread,
}
