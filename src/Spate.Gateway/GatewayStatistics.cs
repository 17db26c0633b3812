using Spate.Serving;

namespace Spate.Gateway;

/// <summary>
/// What a gateway has done. The counts of each pipeline are of one moment, those of different pipelines of slightly
/// different ones, and <see cref="Difference"/> is 0 nevertheless. Datagrams are counted, if nothing else is said.
/// </summary>
public sealed record GatewayStatistics
{
    /// <summary>What the gateway is doing.</summary>
    public required GatewayState State { get; init; }

    /// <summary>The pipelines, by shard.</summary>
    public required IReadOnlyList<GatewayPipelineStatistics> Pipelines { get; init; }

    /// <summary>
    /// What the sockets and threads have done. <see cref="UdpServerStatistics.Unhandled"/> stands beside the account:
    /// those datagrams were queued when the gateway stopped, and not read.
    /// </summary>
    public required UdpServerStatistics Server { get; init; }

    /// <summary>Read from the sockets, those not allowed included.</summary>
    public long Accepted => Sum(pipeline => pipeline.Accepted);

    /// <summary>
    /// Confirmed by the broker: of a stream by a quorum of its nodes, which have it in memory; of a quorum queue by a
    /// quorum, on disk.
    /// </summary>
    public long Committed => Sum(pipeline => pipeline.Committed);

    /// <summary>Dropped because the memory was full (<see cref="GatewayDropReason.WindowFull"/>).</summary>
    public long DroppedWindowFull => Sum(pipeline => pipeline.DroppedWindowFull);

    /// <summary>Dropped because the broker refused them to the end (<see cref="GatewayDropReason.Refused"/>).</summary>
    public long DroppedRefused => Sum(pipeline => pipeline.DroppedRefused);

    /// <summary>Dropped because no message can hold them (<see cref="GatewayDropReason.Oversized"/>).</summary>
    public long DroppedOversized => Sum(pipeline => pipeline.DroppedOversized);

    /// <summary>Dropped because the time to stop was over (<see cref="GatewayDropReason.Shutdown"/>).</summary>
    public long DroppedShutdown => Sum(pipeline => pipeline.DroppedShutdown);

    /// <summary>Dropped because of their source (<see cref="GatewayDropReason.NotAllowed"/>).</summary>
    public long NotAllowed => Sum(pipeline => pipeline.NotAllowed);

    /// <summary>All that were dropped, for every reason.</summary>
    public long Dropped => Sum(pipeline => pipeline.Dropped);

    /// <summary>See <see cref="GatewayPipelineStatistics.InDoubt"/>.</summary>
    public long InDoubt => Sum(pipeline => pipeline.InDoubt);

    /// <summary>See <see cref="GatewayPipelineStatistics.InFlight"/>.</summary>
    public long InFlight => Sum(pipeline => pipeline.InFlight);

    /// <summary>
    /// What is missing in the account: accepted less committed, dropped, in doubt and in flight. Always 0; anything
    /// else is a fault of the gateway.
    /// </summary>
    public long Difference => Sum(pipeline => pipeline.Difference);

    /// <summary>
    /// What the kernel dropped before the gateway could read it, in the unit <see cref="KernelDropUnit"/>, which is why
    /// it is not part of the account; null where that is not known. What arrives once the gateway stops is refused,
    /// which the kernel counts as drops too (<see cref="Server"/>): here it does not count.
    /// </summary>
    public long? KernelDrops => KernelDropsAtStop ?? Server.Sockets.KernelDrops;

    /// <summary>What <see cref="KernelDrops"/> counts.</summary>
    public UdpDropUnit KernelDropUnit => Server.Sockets.KernelDropUnit;

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() =>
        RecordText.Of(nameof(GatewayStatistics), PrintMembers, (nameof(Pipelines), Pipelines));

    /// <summary>The kernel's drops when the gateway began to stop; null before.</summary>
    internal long? KernelDropsAtStop { get; init; }

    private long Sum(Func<GatewayPipelineStatistics, long> of)
    {
        long sum = 0;
        foreach (GatewayPipelineStatistics pipeline in Pipelines) sum += of(pipeline);
        return sum;
    }
}
