using Spate.Serving;

namespace Spate.Measurement.Bench.Designs;

/// <summary>A row of the comparison: a design, and whether datagrams come coalesced.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Design">How the server divides work.</param>
/// <param name="IsCoalesced">The generator sends trains and the server receives them whole.</param>
internal sealed record DesignTarget(string Name, UdpServerDesign Design, bool IsCoalesced)
{
    /// <summary>What every other row is compared with.</summary>
    public const string BaselineName = "one-by-one";

    public static IReadOnlyList<DesignTarget> All { get; } =
    [
        new(BaselineName, UdpServerDesign.OneByOne, IsCoalesced: false),
        new("drain", UdpServerDesign.Drain, IsCoalesced: false),
        new("ring", UdpServerDesign.Ring, IsCoalesced: false),
        new("adaptive", UdpServerDesign.Adaptive, IsCoalesced: false),
        new("reader-workers", UdpServerDesign.ReaderWorkers, IsCoalesced: false),
        new("sharded", UdpServerDesign.Sharded, IsCoalesced: false),
        new("sharded-gro", UdpServerDesign.Sharded, IsCoalesced: true),
    ];

    /// <summary>Why the row would not be what its name says on this machine; null when it is.</summary>
    public string? UnavailableReason
    {
        get
        {
            if (!IsCoalesced) return null;
            UdpCapabilities capabilities = UdpCapabilities.Current;
            UdpCapability[] needed = [capabilities.SegmentedSend, capabilities.CoalescedReceive];
            return needed.FirstOrDefault(capability => !capability.IsAvailable) is UdpCapability missing
                ? $"{missing.Name} is not available here: {missing.Reason}"
                : null;
        }
    }
}
