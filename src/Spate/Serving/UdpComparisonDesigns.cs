using Spate.Serving.Threading;

namespace Spate.Serving;

/// <summary>
/// Designs of a <see cref="UdpServer"/> that exist to be compared with those of <see cref="UdpServerDesign"/>. They are
/// complete designs: <c>spate bench designs</c> measures them, and so can you, with your own handlers.
/// </summary>
public static class UdpComparisonDesigns
{
    /// <summary>
    /// All threads share one socket and receive one datagram per call, as in most servers. Does not keep peers.
    /// </summary>
    public static UdpServerDesign OneByOne { get; } = new(
        "one-by-one",
        new DesignTraits(SharesSocket: true, HasReader: false, ParksThreads: false, OnePerCall: true),
        isForComparison: true);

    /// <summary>All threads share one socket and receive many datagrams per call. Does not keep peers.</summary>
    public static UdpServerDesign Drain { get; } = new(
        "drain",
        new DesignTraits(SharesSocket: true, HasReader: false, ParksThreads: false, OnePerCall: false),
        isForComparison: true);

    /// <summary>
    /// <see cref="UdpServerDesign.ReaderWorkers"/> whose receiving thread uses an io_uring with provided buffers. If
    /// io_uring is not available (<see cref="UdpCapabilities"/> has the reason), the usual backend fills the batches
    /// instead. Does not keep peers.
    /// </summary>
    public static UdpServerDesign Ring { get; } = new(
        "ring",
        UdpServerDesign.ReaderWorkers.Traits with { PreferredBackend = UdpBackend.Uring },
        isForComparison: true);

    /// <summary>All designs for comparison.</summary>
    public static IReadOnlyList<UdpServerDesign> All { get; } = [OneByOne, Drain, Ring];
}
