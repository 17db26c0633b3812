using Spate.Cli.Bench.Targets;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Bench.Designs;

/// <summary>A row of the comparison: a design, with or without GSO messages and coalesced buffers.</summary>
/// <param name="Windows">The design of Windows that the row runs; null for designs of any system.</param>
internal sealed record DesignTarget(
    string Name, UdpServerDesign Design, bool IsCoalesced, WindowsDesign? Windows = null)
{
    // Only Windows may refuse several shards, by a rule of the library that depends on the backend.
    private static readonly Lazy<string?> ShardsMissing = new(static () =>
    {
        if (!OperatingSystem.IsWindows()) return null;

        try
        {
            var options = new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                Design = UdpServerDesign.Sharded,
                ThreadCount = 2,
            };
            UdpServer.Start(options, static _ => new CountingHandler(workRounds: 0)).Dispose();
            return null;
        }
        catch (NotSupportedException fault)
        {
            return fault.Message;
        }
    });

    public static IReadOnlyList<DesignTarget> All { get; } =
    [
        Of(UdpComparisonDesigns.OneByOne),
        Of(UdpComparisonDesigns.Drain),
        Of(UdpComparisonDesigns.Ring),
        Of(UdpServerDesign.Adaptive),
        Of(UdpServerDesign.ReaderWorkers),
        Of(UdpServerDesign.Sharded),
        new("sharded-gro", UdpServerDesign.Sharded, IsCoalesced: true),
        .. WindowsDesign.All.Select(static one => new DesignTarget(one.Name, one.Design, IsCoalesced: false, one)),
    ];

    /// <summary>Whether the row runs without being named: those of Windows do on Windows only.</summary>
    public bool IsDefault => Windows is null || OperatingSystem.IsWindows();

    public string? UnavailableReason => this switch
    {
        { Windows: { } windows } => windows.UnavailableReason,
        { IsCoalesced: true } => SpateRow.ReasonOfMissing(
            UdpCapabilities.Current.SegmentedSend, UdpCapabilities.Current.CoalescedReceive),
        _ when Design == UdpServerDesign.Sharded => ShardsMissing.Value,
        _ => null,
    };

    private static DesignTarget Of(UdpServerDesign design) => new(design.Name, design, IsCoalesced: false);
}
