namespace Spate.Serving;

/// <summary>
/// The options of a <see cref="UdpServer"/>. The server reads them once, when it is started, so the object may be
/// reused.
/// </summary>
public sealed record UdpServerOptions
{
    /// <summary>
    /// A name that distinguishes the server from others in the metrics (attribute <c>spate.name</c>), as
    /// <see cref="UdpSocketOptions.Name"/> does for a socket. The server's sockets get the same name if
    /// <see cref="Socket"/> has no name. Default null: no name.
    /// </summary>
    public string? Name { get; init; }

    /// <summary>
    /// The addresses and ports to serve, 1 to 64 end points. With port 0 the system chooses a port, which
    /// <see cref="UdpServer.LocalEndPoints"/> shows.
    /// </summary>
    public required IReadOnlyList<UdpEndPoint> LocalEndPoints { get; init => field = RecordList.Copy(value); }

    /// <summary>How work is divided among threads; default <see cref="UdpServerDesign.Sharded"/>.</summary>
    public UdpServerDesign Design { get; init; } = UdpServerDesign.Sharded;

    /// <summary>
    /// The number of threads that run handlers, 1 to 256. Default null: one per CPU of the process
    /// (<see cref="Environment.ProcessorCount"/>), but only one for a sharded server on a system without SO_REUSEPORT
    /// (on Windows see <see cref="UdpServerDesign.Sharded"/>). A design with a receiving thread
    /// (<see cref="UdpServerDesign.HasReceivingThread"/>) starts one more thread.
    /// </summary>
    public int? ThreadCount { get; init; }

    /// <summary>
    /// The CPUs to which the threads are tied, in the order of the threads. If there are fewer CPUs than threads, the
    /// list is used again from its start. In a design with a receiving thread, that thread gets the first CPU. Default
    /// empty: the system decides. Linux only.
    /// </summary>
    public IReadOnlyList<int> Cpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>How the kernel spreads datagrams over shards; default <see cref="UdpSteering.Automatic"/>.</summary>
    public UdpSteering Steering { get; init; } = UdpSteering.Automatic;

    /// <summary>How threads wait while no datagrams arrive; default <see cref="UdpServerWait.Automatic"/>.</summary>
    public UdpServerWait Wait { get; init; } = UdpServerWait.Automatic;

    /// <summary>
    /// The number of waiting datagrams at which one more thread is woken, 1 to 1,048,576; default 64. Used only by
    /// <see cref="UdpServerDesign.Adaptive"/> and the designs with a receiving thread
    /// (<see cref="UdpServerDesign.HasReceivingThread"/>).
    /// </summary>
    public int WakeThreshold { get; init; } = 64;

    /// <summary>
    /// Whether threads with <see cref="UdpServerWait.Adaptive"/> are allowed to spin on all CPUs at once. Default
    /// false: one CPU is always left free of spinning threads.
    /// </summary>
    public bool SpinOnLastCpu { get; init; }

    /// <summary>
    /// The interval between calls of <see cref="UdpHandler.OnTick"/> on every thread, at least 1 ms. Default null: no
    /// calls.
    /// </summary>
    public TimeSpan? TickInterval { get; init; }

    /// <summary>
    /// How long a thread tries to send replies while the send buffer is full. Replies that are not sent in this time
    /// are dropped and counted (<see cref="UdpThreadStatistics.RepliesDropped"/>). Default 1 s.
    /// </summary>
    public TimeSpan ReplyTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// The number of batches that circulate between the receiving thread and the handler threads, 2 to 1024. Used only
    /// by designs with a receiving thread (<see cref="UdpServerDesign.HasReceivingThread"/>). Default null: four, and
    /// two more per handler thread. The number limits how many datagrams wait in the process; the other datagrams wait
    /// in the socket.
    /// </summary>
    public int? BatchCount { get; init; }

    /// <summary>
    /// The options of the sockets. By default, these are the default values of <see cref="UdpSocketOptions"/>. The
    /// server itself sets <see cref="UdpSocketOptions.ReusePort"/> for shards, and turns
    /// <see cref="UdpSocketOptions.CoalescedReceive"/> off for <see cref="UdpComparisonDesigns.OneByOne"/>.
    /// </summary>
    public UdpSocketOptions Socket { get; init; } = new();

    /// <summary>
    /// The options of the batches that receive datagrams. By default, these are the default values of
    /// <see cref="ReceiveBatchOptions"/>. Each thread has one batch. A design with a receiving thread has
    /// <see cref="BatchCount"/> batches instead. <see cref="UdpComparisonDesigns.OneByOne"/> always uses one slot.
    /// </summary>
    public ReceiveBatchOptions ReceiveBatch { get; init; } = new();

    /// <summary>
    /// The capacity and size of the reply batches. Default: as many datagrams as one receive can bring (at least 64, at
    /// most 65,536), and 512 KiB. So one <see cref="SendBatch.TryForward(in Datagram, in UdpEndPoint)"/> for each
    /// received datagram always finds room, since forwarded payloads need none of the 512 KiB.
    /// </summary>
    public SendBatchOptions ReplyBatch { get; init; } = new();

    /// <summary>
    /// Called after handlers threw, with the latest exception and the number of exceptions of its type. There is at
    /// most one call in 10 s for each type of exception. The call is made on the handler's thread; exceptions of the
    /// callback itself are ignored. Default null: no call. Even without a callback, the event source "Spate" reports
    /// the exceptions at the same rate, and <see cref="UdpThreadStatistics.HandlerFaults"/> counts all of them.
    /// </summary>
    public Action<UdpServerFault>? OnFault { get; init; }

    /// <summary>Returns all values as text, with at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(UdpServerOptions),
        PrintMembers,
        (nameof(LocalEndPoints), LocalEndPoints),
        (nameof(Cpus), Cpus));
}
