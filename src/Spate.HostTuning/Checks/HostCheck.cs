namespace Spate.HostTuning.Checks;

/// <summary>
/// One check of the host: its id, which is also its heading in docs/tuning.md, and the method that looks. It reads and
/// changes nothing, never throws for what the host has or lacks, and trusts no content of a file: a value that makes no
/// sense is <see cref="CheckStatus.Unknown"/>. It has one finding, one for each interface or path, or none if it does
/// not apply to this host.
/// </summary>
internal sealed class HostCheck(string id, Func<HostReadings, IEnumerable<CheckFinding?>> look)
{
    public HostCheck(string id, Func<HostReadings, CheckFinding?> look)
        : this(id, host => [look(host)])
    {
    }

    /// <summary>Looks at each interface.</summary>
    public HostCheck(string id, Func<HostReadings, HostInterface, CheckFinding?> look)
        : this(id, host => host.Interfaces.Select(one => look(host, one) is { } found
            ? found with { Interface = one.ShownName }
            : null))
    {
    }

    public string Id => id;

    public bool IsLinuxOnly { get; init; } = true;

    public IEnumerable<CheckFinding> Examine(HostReadings host) =>
        look(host).OfType<CheckFinding>().Select(finding => finding with { Id = id });
}

/// <summary>All checks, in the order in which they matter on most hosts.</summary>
internal static class CheckCatalog
{
    public static IReadOnlyList<HostCheck> Sockets { get; } =
    [
        new("rmem-max", SocketChecks.ReceiveLimit),
        new("socket-drops", SocketDrops.Receiving),
        new("rmem-default", SocketChecks.DefaultBuffer),
        new("send-buffer-errors", SocketDrops.Sending),
        new("wmem-max", SocketChecks.SendLimit),
        new("buffer-granted", SocketChecks.GrantedBuffer) { IsLinuxOnly = false },
        new("udp-mem", SocketChecks.Memory),
        SysctlCheck.Of("optmem-max"),
        SysctlCheck.Of("udp-rmem-min"),
        new("tcp-rmem", SocketChecks.TcpBuffers),
        new("fast-paths", SocketChecks.FastPaths) { IsLinuxOnly = false },
    ];

    /// <summary>What lies between the card and the sockets.</summary>
    public static IReadOnlyList<HostCheck> Queues { get; } =
    [
        new("netdev-max-backlog", QueueChecks.Backlog),
        new("netdev-budget", QueueChecks.Budget),
        new("qdisc-drops", QueueChecks.Drops),
        new("tx-queue-len", QueueChecks.Length),
        new("default-qdisc", QueueChecks.DefaultKind),
    ];

    /// <summary>Connection tracking and the firewall.</summary>
    public static IReadOnlyList<HostCheck> Netfilter { get; } =
    [
        new("firewall", NetfilterChecks.Firewall),
        new("conntrack", NetfilterChecks.Connections),
        new("conntrack-timeout", NetfilterChecks.Lifetime),
    ];

    /// <summary>What IP and UDP count.</summary>
    public static IReadOnlyList<HostCheck> Protocol { get; } =
    [
        new("rp-filter", ProtocolChecks.ReversePath),
        new("ip-fragments", ProtocolChecks.Fragments),
        new("no-ports", ProtocolChecks.NoPorts),
        new("checksum-errors", ProtocolChecks.Checksums),
        new("ip-discards", ProtocolChecks.Discards),
        SysctlCheck.Of("udp-early-demux"),
    ];

    /// <summary>Cards and their drivers.</summary>
    public static IReadOnlyList<HostCheck> Cards { get; } =
    [
        new("card-drops", CardLosses.Drops),
        new("ring", CardLosses.Ring),
        new("cloud-allowance", CardLosses.Allowance),
        new("flow-hash", CardQueues.FlowHashes),
        new("queue-count", CardQueues.Count),
        new("offloads", CardFeatureChecks.Needed),
        new("udp-segmentation", CardFeatureChecks.Segmentation),
        new("udp-gro-forwarding", CardFeatureChecks.Forwarding),
        new("steering", CardQueues.Steering),
        new("coalescing", CardQueues.Coalescing),
        new("pause", CardLinks.Pause),
        new("link-speed", CardLinks.Speed),
    ];

    /// <summary>The CPUs, and the machine that has them.</summary>
    public static IReadOnlyList<HostCheck> Cpus { get; } =
    [
        new("steal", CpuChecks.Steal),
        new("cpu-quota", CpuChecks.Quota),
        new("interrupt-cpus", CardPlaces.InterruptCpus),
        new("numa-node", CardPlaces.Node),
        new("pcie-link", CardLinks.Pcie),
        new("governor", CpuChecks.Governor),
        new("idle-states", CpuChecks.IdleStates),
        new("irqbalance", CpuChecks.IrqBalance),
        new("clock-source", CpuChecks.ClockSource),
        new("iommu", CardPlaces.Iommu),
        new("smt", CpuChecks.Smt),
        new("container", CpuChecks.Container),
        new("mitigations", CpuChecks.Mitigations),
    ];

    /// <summary>The way to another host.</summary>
    public static IReadOnlyList<HostCheck> Paths { get; } =
    [
        new("path-mtu", PathChecks.Mtu),
        new("jumbo", PathChecks.Jumbo) { IsLinuxOnly = false },
        new("ecmp", PathChecks.NextHops),
        new("ecn", PathChecks.Ecn),
    ];

    public static IReadOnlyList<HostCheck> All { get; } =
        [.. Sockets, .. Queues, .. Netfilter, .. Protocol, .. Cards, .. Cpus, .. Paths];
}
