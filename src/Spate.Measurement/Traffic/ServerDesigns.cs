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
