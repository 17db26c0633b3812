using Spate.Serving;

namespace Spate.Measurement.Traffic;

/// <summary>The designs of a server in the order in which lists and reports have them.</summary>
internal static class ServerDesigns
{
    /// <summary>The designs to choose from and those for comparison.</summary>
    public static IReadOnlyList<UdpServerDesign> All { get; } =
    [
        UdpServerDesign.Sharded,
        UdpComparisonDesigns.OneByOne,
        UdpComparisonDesigns.Drain,
        UdpComparisonDesigns.Ring,
        UdpServerDesign.Adaptive,
        UdpServerDesign.ReaderWorkers,
    ];
}

/// <summary>A design of <see cref="UdpServer"/> with one backend and one way of waiting.</summary>
internal sealed record WindowsDesign(string Name, UdpServerDesign Design, UdpBackend Backend, UdpServerWait Wait)
{
    public static IReadOnlyList<WindowsDesign> All { get; } =
    [
        new("iocp-one", UdpComparisonDesigns.OneByOne, UdpBackend.Winsock, UdpServerWait.Blocking),
        new("iocp-several", UdpComparisonDesigns.Drain, UdpBackend.Winsock, UdpServerWait.Blocking),
        new("rio-polled", UdpComparisonDesigns.Drain, UdpBackend.Rio, UdpServerWait.Spinning),
        new("rio-port", UdpComparisonDesigns.Drain, UdpBackend.Rio, UdpServerWait.Blocking),
        new("rio-hybrid", UdpServerDesign.Adaptive, UdpBackend.Rio, UdpServerWait.Adaptive),

        // Of its threads one receives, one posts the emptied receives again, many at a time, and the others handle.
        new("rio-reposter", UdpServerDesign.ReaderWorkers, UdpBackend.Rio, UdpServerWait.Blocking),
    ];

    /// <summary>Why the design cannot run on this machine, in one line; null if it can.</summary>
    public string? UnavailableReason => Backend == UdpBackend.Rio
        ? Reason("Registered I/O", UdpCapabilities.Current.Rio)
        : Reason("completion ports", UdpCapabilities.Current.Winsock);

    public static WindowsDesign? Find(string name) =>
        All.FirstOrDefault(design => string.Equals(design.Name, name, StringComparison.Ordinal));

    private string? Reason(string needed, UdpCapability capability) => capability.IsAvailable
        ? null
        : $"The design {Name} needs {needed}, which this system lacks: {capability.Reason}";
}
