namespace Spate.Serving;

/// <summary>
/// How a <see cref="UdpServer"/> divides work among threads. A design "keeps peers" if all datagrams of a peer are
/// handled by one thread, in the order in which they arrived. Sessions are possible only then
/// (<see cref="UdpShard.CreateSessionTable{TSession}"/>). With one thread every design keeps peers.
/// </summary>
public enum UdpServerDesign
{
    /// <summary>
    /// One socket and one thread per shard; the kernel spreads peers over the shards (SO_REUSEPORT,
    /// <see cref="UdpSteering"/>). Keeps peers, except with <see cref="UdpSteering.Cpu"/> and
    /// <see cref="UdpSteering.Spread"/>. This is the default, and the fastest design if consecutive datagrams come from
    /// the same peer. Several shards need Linux or macOS, or on Windows Winsock or Rio with SIO_CPU_AFFINITY. On
    /// Windows a peer may change shards, so sessions are refused. Shards have never run on Windows. The kernel gives
    /// each broadcast to every socket of the port, so every shard receives each broadcast. Handle broadcasts only on
    /// the shard with index 0, or use a design whose threads share a socket.
    /// </summary>
    Sharded,

    /// <summary>
    /// All threads share one socket and receive one datagram per call, as in most servers. The design serves for
    /// comparison. Does not keep peers.
    /// </summary>
    OneByOne,

    /// <summary>All threads share one socket and receive many datagrams per call. Does not keep peers.</summary>
    Drain,

    /// <summary>
    /// One thread receives through an io_uring with provided buffers and hands filled batches to the other threads,
    /// which are woken when there is work. If io_uring is not available (<see cref="UdpCapabilities"/> has the reason),
    /// the usual backend fills the batches instead. Does not keep peers.
    /// </summary>
    Ring,

    /// <summary>
    /// All threads share one socket, but only as many threads are awake as the load needs. One thread waits for
    /// datagrams: it spins while datagrams come quickly, and sleeps otherwise. A call that receives
    /// <see cref="UdpServerOptions.WakeThreshold"/> datagrams or more wakes one more thread. A call that receives fewer
    /// wakes no thread. If the handler then blocks and no other thread is awake, newly arriving datagrams wait until
    /// the handler returns. Does not keep peers.
    /// </summary>
    Adaptive,

    /// <summary>
    /// One thread receives many datagrams per call and hands filled batches to the other threads. The other threads put
    /// used batches on a lock-free stack, from which the receiving thread takes all batches in one exchange. Does not
    /// keep peers.
    /// </summary>
    ReaderWorkers,
}
