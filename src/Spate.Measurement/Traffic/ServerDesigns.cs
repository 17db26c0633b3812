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

/// <summary>A design of <see cref="UdpServer"/> by its name in lists and reports.</summary>
/// <param name="Backend">The one of a design of Windows; null for a design of any system, which takes any.</param>
/// <param name="Wait">The one of a design of Windows; null for a design of any system, which takes any.</param>
internal sealed record ServerDesign(
    string Name, UdpServerDesign Kind, UdpBackend? Backend = null, UdpServerWait? Wait = null)
{
    public static ServerDesign Sharded { get; } = Of(UdpServerDesign.Sharded);

    public static IReadOnlyList<ServerDesign> OfAnySystem { get; } = [.. ServerDesigns.All.Select(Of)];

    public static IReadOnlyList<ServerDesign> OfWindows { get; } =
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
    public string? UnavailableReason => Backend switch
    {
        null => null,
        UdpBackend.Rio => Reason("Registered I/O", UdpCapabilities.Current.Rio),
        _ => Reason("completion ports", UdpCapabilities.Current.Winsock),
    };

    public static ServerDesign Of(UdpServerDesign kind) => new(kind.Name, kind);

    public static ServerDesign? Find(string name) => OfAnySystem.Concat(OfWindows)
        .FirstOrDefault(design => string.Equals(design.Name, name, StringComparison.Ordinal));

    private string? Reason(string needed, UdpCapability capability) => capability.IsAvailable
        ? null
        : $"The design {Name} needs {needed}, which this system lacks: {capability.Reason}";
}
