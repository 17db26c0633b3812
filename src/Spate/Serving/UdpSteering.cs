namespace Spate.Serving;

/// <summary>
/// How the kernel chooses the shard of a datagram (<see cref="UdpServerDesign.Sharded"/>). <see cref="FlowHash"/>,
/// <see cref="Cpu"/> and <see cref="Spread"/> use classic BPF programs (SO_ATTACH_REUSEPORT_CBPF, Linux 4.5).
/// </summary>
public enum UdpSteering
{
    /// <summary><see cref="FlowHash"/> on Linux, otherwise <see cref="Kernel"/>.</summary>
    Automatic,

    /// <summary>
    /// The kernel's own hash of both addresses and both ports. With this hash a shard cannot be taken away without
    /// loss, so the server refuses to take shards away. On Windows the processor that takes the datagram chooses.
    /// </summary>
    Kernel,

    /// <summary>
    /// A hash of the peer's address and port. Each server has its own key, so peers cannot choose their shard. Shards
    /// can be added and taken away; most peers then move to another shard.
    /// </summary>
    FlowHash,

    /// <summary>
    /// The CPU on which the kernel received the datagram. The thread that is tied to this CPU
    /// (<see cref="UdpServerOptions.Cpus"/>) gets the datagram and finds it in the CPU's cache. Does not keep
    /// peers: a peer may move to another shard when the network interface's interrupts move to another CPU.
    /// </summary>
    Cpu,

    /// <summary>
    /// A random shard for each buffer that arrives, so that even a single sender keeps all threads busy. Without
    /// coalescing, a buffer is one datagram. A coalesced buffer has up to 64 datagrams of one peer, which stay
    /// together. Does not keep peers: several threads handle a peer's datagrams at once, so the order of the datagrams
    /// is lost. A server with several threads therefore refuses session tables
    /// (<see cref="UdpShard.CreateSessionTable{TSession}"/>). Shards can be added and taken away.
    /// </summary>
    Spread,
}
