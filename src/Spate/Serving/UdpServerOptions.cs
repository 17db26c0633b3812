namespace Spate.Serving;

/// <summary>
/// The options of a <see cref="UdpServer"/>. They are read once, when it is started; the object may be reused.
/// </summary>
public sealed record UdpServerOptions
{
    /// <summary>
    /// Distinguishes the server from others in the metrics (the attribute <c>spate.name</c>), as
    /// <see cref="UdpSocketOptions.Name"/> does, and names its sockets if <see cref="Socket"/> has no name. Default
    /// null: none.
    /// </summary>
    public string? Name { get; init; }

    /// <summary>
    /// Addresses and ports to serve, 1 to 64. Port 0 lets the system choose one: see
    /// <see cref="UdpServer.LocalEndPoints"/>.
    /// </summary>
    public required IReadOnlyList<UdpEndPoint> LocalEndPoints { get; init; }

    /// <summary>How work is divided; default <see cref="UdpServerDesign.Sharded"/>.</summary>
    public UdpServerDesign Design { get; init; } = UdpServerDesign.Sharded;

    /// <summary>
    /// Threads that run handlers, 1 to 256. Default null: one per CPU of the process
    /// (<see cref="Environment.ProcessorCount"/>), on systems without SO_REUSEPORT one for a sharded server.
    /// <see cref="UdpServerDesign.Ring"/> and <see cref="UdpServerDesign.ReaderWorkers"/> have one more, which
    /// receives.
    /// </summary>
    public int? ThreadCount { get; init; }

    /// <summary>
    /// The CPUs that the threads are tied to, in order, starting again if there are fewer CPUs than threads. The thread
    /// that receives for others comes first. Default empty: the system decides. Linux only.
    /// </summary>
    public IReadOnlyList<int> CpuIndexes { get; init; } = [];

    /// <summary>How the kernel spreads datagrams over shards; default <see cref="UdpSteering.Automatic"/>.</summary>
    public UdpSteering Steering { get; init; } = UdpSteering.Automatic;

    /// <summary>How threads wait while nothing arrives; default <see cref="UdpServerWait.Automatic"/>.</summary>
    public UdpServerWait Wait { get; init; } = UdpServerWait.Automatic;

    /// <summary>
    /// The number of waiting datagrams that wakes one more thread, 1 to 1,048,576; default 64. For
    /// <see cref="UdpServerDesign.Adaptive"/>, <see cref="UdpServerDesign.Ring"/> and
    /// <see cref="UdpServerDesign.ReaderWorkers"/>.
    /// </summary>
    public int WakeThreshold { get; init; } = 64;

    /// <summary>
    /// Whether <see cref="UdpServerWait.Adaptive"/> may spin on all CPUs. Default false: it always leaves one.
    /// </summary>
    public bool SpinOnLastCpu { get; init; }

    /// <summary>
    /// How often <see cref="UdpHandler.OnTick"/> is called on every thread, at least 1 ms. Default null: never.
    /// </summary>
    public TimeSpan? TickInterval { get; init; }

    /// <summary>
    /// How long a thread tries to send replies while the send buffer is full; after that they are dropped and counted
    /// (<see cref="UdpThreadStatistics.RepliesDropped"/>). Default 1 s.
    /// </summary>
    public TimeSpan ReplyTimeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Batches between the thread that receives and those that handle, 2 to 1024; default null: four, and two more per
    /// thread. Their number limits how many datagrams wait in the process; the others wait in the socket.
    /// </summary>
    public int? BatchCount { get; init; }

    /// <summary>
    /// The sockets' options; default those of <see cref="UdpSocketOptions"/>. The server sets
    /// <see cref="UdpSocketOptions.ReusePort"/> for shards itself, and leaves
    /// <see cref="UdpSocketOptions.CoalescedReceive"/> off for <see cref="UdpServerDesign.OneByOne"/>.
    /// </summary>
    public UdpSocketOptions Socket { get; init; } = new();

    /// <summary>
    /// The shape of the batches received into; default as <see cref="ReceiveBatchOptions"/>. Each thread has a batch,
    /// and a design with a reader has <see cref="BatchCount"/> of them.
    /// </summary>
    public ReceiveBatchOptions Receive { get; init; } = new();

    /// <summary>
    /// The shape of the reply batches; default: as many datagrams as a receive can bring, and 512 KiB.
    /// </summary>
    public SendBatchOptions Replies { get; init; } = new();

    /// <summary>
    /// Called with exceptions that handlers threw, at most once per kind of exception and 10 s, with their number.
    /// Called on the handler's thread; exceptions of the callback itself are ignored. Default null. The event source
    /// "Spate" and <see cref="UdpThreadStatistics.HandlerFaults"/> report the exceptions in any case.
    /// </summary>
    public Action<UdpServerFault>? OnFault { get; init; }

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(UdpServerOptions),
        PrintMembers,
        (nameof(LocalEndPoints), LocalEndPoints),
        (nameof(CpuIndexes), CpuIndexes));
}
