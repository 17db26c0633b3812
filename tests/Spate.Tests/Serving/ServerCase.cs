using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Tests.Serving;

/// <summary>One way of building a server.</summary>
public sealed record ServerCase(UdpServerDesign Design, int ThreadCount, UdpBackend Backend, bool Coalesced)
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    /// <summary>Cancelled when the running test is.</summary>
    public static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    /// <summary>Every design with 1, 2 and 4 threads, coalescing or not, on the default backend and Portable.</summary>
    public static TheoryData<ServerCase> All => [.. Of([1, 2, 4])];

    public static TheoryData<ServerCase> OfOneThread => [.. Of([1])];

    public static TheoryData<ServerCase> OfTwoThreads => [.. Of([2])];

    public static TheoryData<UdpServerDesign> EveryDesign => [.. ServerDesigns.All];

    public UdpServerOptions Options => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Design = Design,
        ThreadCount = ThreadCount,
        Socket = new UdpSocketOptions { Backend = Backend, CoalescedReceive = Coalesced, SegmentedSend = Coalesced },
    };

    public override string ToString() =>
        $"{Design} x{ThreadCount} {Backend}{(Coalesced ? " coalesced" : string.Empty)}";

    /// <summary>Two threads, or one where shards cannot share the port.</summary>
    public static int ThreadCountOf(UdpServerDesign design) =>
        OperatingSystem.IsLinux() || design != UdpServerDesign.Sharded ? 2 : 1;

    /// <summary>Skips the test of several threads where their sockets cannot share the port.</summary>
    public static void RequireSharedPort(UdpServerDesign? design = null) => Assert.SkipUnless(
        OperatingSystem.IsLinux() || (design is not null && design != UdpServerDesign.Sharded),
        "several shards need SO_REUSEPORT of Linux");

    private static IEnumerable<ServerCase> Of(int[] threadCounts) =>
        from design in ServerDesigns.All
        from threadCount in threadCounts
        from form in new[]
        {
            (UdpBackend.Automatic, true), (UdpBackend.Automatic, false), (UdpBackend.Portable, false),
        }
        where OperatingSystem.IsLinux() || threadCount == 1 || design != UdpServerDesign.Sharded
        select new ServerCase(design, threadCount, form.Item1, form.Item2);
}
