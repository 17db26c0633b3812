namespace Spate.Serving;

/// <summary>
/// How a <see cref="UdpServer"/> divides work among threads. "Keeps peers" means that all datagrams of a peer are
/// handled by one thread, in the order in which they arrived; sessions are possible only then
/// (<see cref="UdpShard.CreateSessionTable{TSession}"/>). With one thread every design keeps peers.
/// </summary>
public enum UdpServerDesign
{
    /// <summary>
    /// One socket and one thread per shard; the kernel spreads peers over them (SO_REUSEPORT,
    /// <see cref="UdpSteering"/>). Keeps peers unless steered by CPU. This is the default, and the fastest design if
    /// consecutive datagrams come from the same peer. Several shards need Linux or macOS. Every shard receives each
    /// broadcast, since the kernel gives it to every socket of the port: handle it on the shard of index 0 alone, or
    /// use a design whose threads share a socket.
    /// </summary>
    Sharded,

    /// <summary>
    /// All threads share one socket and take one datagram per call, as most servers do. The design is here for
    /// comparison. Does not keep peers.
    /// </summary>
    OneByOne,

    /// <summary>All threads share one socket and take many datagrams per call. Does not keep peers.</summary>
    Drain,

    /// <summary>
    /// One thread reaps an io_uring with registered buffers and hands filled batches to the others, which are woken
    /// when there is work. Does not keep peers. If io_uring is not available (<see cref="UdpCapabilities"/> has the
    /// reason), recvmmsg fills the batches instead.
    /// </summary>
    Ring,

    /// <summary>
    /// All threads share one socket, but only as many are awake as the load needs. One thread waits, spinning while
    /// datagrams come quickly and sleeping otherwise. One more is woken when a call finds
    /// <see cref="UdpServerOptions.WakeThreshold"/> datagrams or more. While a handler blocks, fewer datagrams than
    /// that may have to wait for it. Does not keep peers.
    /// </summary>
    Adaptive,

    /// <summary>
    /// One thread receives with recvmmsg and hands filled batches to the others; used batches come back to it through
    /// a stack that it empties in one exchange, without a lock. Does not keep peers.
    /// </summary>
    ReaderWorkers,
}
