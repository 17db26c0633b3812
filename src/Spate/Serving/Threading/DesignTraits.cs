namespace Spate.Serving.Threading;

/// <summary>
/// The properties in which the designs differ. The loop, replies, ticks and faults are the same for all designs.
/// </summary>
/// <param name="SharesSocket">Whether all threads use the same sockets. Otherwise each thread has its own.</param>
/// <param name="HasReader">Whether one thread, the reader, receives, and the others take batches from it.</param>
/// <param name="ParksThreads">Whether threads park while fewer threads are enough.</param>
/// <param name="OnePerCall">Whether a receive takes only one datagram.</param>
internal readonly record struct DesignTraits(bool SharesSocket, bool HasReader, bool ParksThreads, bool OnePerCall)
{
    /// <summary>The backend to use if it is available and neither the options nor SPATE_BACKEND name another.</summary>
    public UdpBackend PreferredBackend { get; init; }

    /// <summary>How threads wait while nothing arrives, unless the options choose another way.</summary>
    public UdpServerWait Wait { get; init; } = UdpServerWait.Blocking;

    /// <summary>
    /// Whether all datagrams of a peer are handled by one thread. This is so if there is only one thread, or if each
    /// thread has its own sockets and the steering chooses the thread by the peer.
    /// </summary>
    public bool KeepsPeers(int threadCount, UdpSteering steering) =>
        threadCount == 1 || (!SharesSocket && steering is not (UdpSteering.Cpu or UdpSteering.Spread));
}
