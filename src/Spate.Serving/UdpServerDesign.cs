namespace Spate.Serving;

/// <summary>
/// How a <see cref="UdpServer"/> divides work among threads. "Keeps peers" means that all datagrams of a peer are
/// handled by one thread, in the order in which they arrived; only then are sessions offered
/// (<see cref="UdpShard.CreateSessionTable{TSession}"/>). With one thread every design keeps peers.
/// </summary>
public enum UdpServerDesign
{
    /// <summary>
    /// One socket and one thread per shard; the kernel spreads peers over them (SO_REUSEPORT, <see
    /// cref="UdpSteering"/>). Keeps peers unless steered by CPU. The default, and the fastest where datagrams come in
    /// runs. Several shards need Linux or macOS. A broadcast is heard once per shard, since the kernel gives it to
    /// every socket of the port: handle it on the shard of index 0 alone, or use a design whose threads share a socket.
    /// </summary>
    Sharded,

    /// <summary>
    /// All threads share one socket and take one datagram per call: what most servers do, here for comparison. Does
    /// not keep peers.
    /// </summary>
    OneByOne,

    /// <summary>All threads share one socket and take many datagrams per call. Does not keep peers.</summary>
    Drain,

    /// <summary>
    /// One thread reaps an io_uring with registered buffers and hands filled batches to the others, which are woken
    /// when there is work. Does not keep peers. Where io_uring cannot be had
    /// (<see cref="UdpCapabilities"/> tells why), recvmmsg fills the batches instead.
    /// </summary>
    Ring,

    /// <summary>
    /// All threads share one socket, but only as many are awake as pay: one waits, spinning while datagrams come
    /// quickly and sleeping otherwise, and one more is woken when a call finds
    /// <see cref="UdpServerOptions.WakeThreshold"/> datagrams or more. A handler that blocks holds up what arrives
    /// meanwhile. Does not keep peers.
    /// </summary>
    Adaptive,

    /// <summary>
    /// One thread receives with recvmmsg and hands filled batches to the others; used batches come back to it through
    /// a stack that it empties in one exchange, without a lock. Does not keep peers.
    /// </summary>
    ReaderWorkers,
}
