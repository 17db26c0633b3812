namespace Spate.Serving.Shards;

/// <summary>
/// What tells one design from another. The loop, the sockets, replies, ticks and faults are the same for all.
/// </summary>
/// <param name="SharesSocket">All threads receive from the same sockets; otherwise each has its own.</param>
/// <param name="HasFeeder">One thread receives, the others take batches from it.</param>
/// <param name="UsesCrew">Threads park while fewer are enough.</param>
/// <param name="OnePerCall">One datagram per call.</param>
internal readonly record struct DesignTraits(bool SharesSocket, bool HasFeeder, bool UsesCrew, bool OnePerCall)
{
    /// <summary>The backend to take where nothing names one and it is available.</summary>
    public UdpBackend PreferredBackend { get; private init; }

    public static DesignTraits Of(UdpServerDesign design) => design switch
    {
        UdpServerDesign.OneByOne => new(SharesSocket: true, HasFeeder: false, UsesCrew: false, OnePerCall: true),
        UdpServerDesign.Drain => new(SharesSocket: true, HasFeeder: false, UsesCrew: false, OnePerCall: false),
        UdpServerDesign.Adaptive => new(SharesSocket: true, HasFeeder: false, UsesCrew: true, OnePerCall: false),
        UdpServerDesign.ReaderWorkers => new(SharesSocket: true, HasFeeder: true, UsesCrew: true, OnePerCall: false),
        UdpServerDesign.Ring => Of(UdpServerDesign.ReaderWorkers) with { PreferredBackend = UdpBackend.Uring },
        _ => default,
    };

    /// <summary>
    /// Whether a peer stays with one thread: where there is one thread, or one socket each that is chosen by peer.
    /// </summary>
    public bool KeepsPeers(int threadCount, UdpSteering steering) =>
        threadCount == 1 || (!SharesSocket && steering != UdpSteering.Cpu);
}
