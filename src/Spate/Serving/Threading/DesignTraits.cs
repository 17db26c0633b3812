namespace Spate.Serving.Threading;

/// <summary>
/// The table of designs: everything in which they differ. The loop, replies, ticks and faults are the same for all.
/// </summary>
/// <param name="SharesSocket">All threads receive from the same sockets; otherwise each has its own.</param>
/// <param name="HasReader">One thread receives, the others take batches from it.</param>
/// <param name="ParksThreads">Threads park while fewer are enough.</param>
/// <param name="OnePerCall">A receive takes one datagram.</param>
internal readonly record struct DesignTraits(bool SharesSocket, bool HasReader, bool ParksThreads, bool OnePerCall)
{
    /// <summary>The backend to use if neither options nor environment name one, and if it is available.</summary>
    public UdpBackend PreferredBackend { get; private init; }

    /// <summary>What threads do while nothing arrives, unless the options say otherwise.</summary>
    public UdpServerWait Wait { get; private init; } = UdpServerWait.Blocking;

    public static DesignTraits Of(UdpServerDesign design) => design switch
    {
        UdpServerDesign.OneByOne => new(SharesSocket: true, HasReader: false, ParksThreads: false, OnePerCall: true),
        UdpServerDesign.Drain => new(SharesSocket: true, HasReader: false, ParksThreads: false, OnePerCall: false),
        UdpServerDesign.Adaptive => new(SharesSocket: true, HasReader: false, ParksThreads: true, OnePerCall: false)
        {
            Wait = UdpServerWait.Adaptive,
        },
        UdpServerDesign.ReaderWorkers =>
            new(SharesSocket: true, HasReader: true, ParksThreads: true, OnePerCall: false),
        UdpServerDesign.Ring => Of(UdpServerDesign.ReaderWorkers) with { PreferredBackend = UdpBackend.Uring },
        _ => new(SharesSocket: false, HasReader: false, ParksThreads: false, OnePerCall: false),
    };

    /// <summary>
    /// Whether each peer stays with one thread: there is only one, or each has a socket and the peer decides which.
    /// </summary>
    public bool KeepsPeers(int threadCount, UdpSteering steering) =>
        threadCount == 1 || (!SharesSocket && steering is not (UdpSteering.Cpu or UdpSteering.Spread));
}
