using System.Diagnostics;

namespace Spate.HostTuning.Checks;

/// <summary>
/// One check of the host: its id, which is also its heading in docs/tune/checks.md, and the method that looks. It reads
/// and changes nothing, never throws for features or faults of the host, and trusts no content of a file: a value that
/// makes no sense is <see cref="CheckStatus.Unknown"/>. It has one finding, one for each interface or path, or none if
/// it does not apply to this host.
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
            ? found with { Interface = one.Name }
            : null))
    {
    }

    public string Id => id;

    public bool IsLinuxOnly { get; init; } = true;

    /// <summary>True if <c>spate tune</c> can make its changes.</summary>
    public bool HasSetting { get; init; }

    // A name of an interface may have any character but blanks, slashes and colons (dev_valid_name, net/core/dev.c).
    public IEnumerable<CheckFinding> Examine(HostReadings host) => look(host).OfType<CheckFinding>().Select(Complete);

    private CheckFinding Complete(CheckFinding finding)
    {
        Debug.Assert(HasSetting || finding.Changes.Count == 0);
        return finding with
        {
            Id = id,
            Interface = finding.Interface is { } name ? CheckText.Name(name) : null,
        };
    }
}

/// <summary>All checks, in the order in which they matter on most hosts.</summary>
internal static class CheckCatalog
{
    private const long DefaultPressureBytes = 4096;

    public static IReadOnlyList<HostCheck> Sockets { get; } =
    [
        new("rmem-max", SocketChecks.ReceiveLimit) { HasSetting = true },
        new("socket-drops", SocketDropChecks.Receiving),
        new("rmem-default", SocketChecks.DefaultBuffer) { HasSetting = true },
        new("send-buffer-errors", SocketDropChecks.Sending),
        new("wmem-max", SocketChecks.SendLimit) { HasSetting = true },
        new("buffer-granted", SocketChecks.GrantedBuffer) { IsLinuxOnly = false },
        new("udp-mem", SocketChecks.Memory) { HasSetting = true },
        SysctlCheck.Of(
            "optmem-max",
            "net.core.optmem_max",
            CheckText.Bytes,
            "Sends without a copy (MSG_ZEROCOPY) and control messages are charged to it; ESnet sets 1 MiB from 100 "
                + "Gbit/s on (fasterdata-tuning).",
            HostProfile.HundredGigabit,
            need: 1024 * 1024),
        // What a UDP socket may use while the memory of all is short.
        SysctlCheck.Of(
            "udp-rmem-min",
            "net.ipv4.udp_rmem_min",
            static bytes => CheckText.Bytes(bytes)
                + (bytes == DefaultPressureBytes ? "" : $", changed from {CheckText.Bytes(DefaultPressureBytes)}"),
            "It applies only while all UDP sockets together are above the second number of udp_mem (ip-sysctl), so "
                + "another value has no effect on most hosts."),
        new("tcp-rmem", SocketChecks.TcpBuffers),
        new("fast-paths", SocketChecks.FastPaths) { IsLinuxOnly = false },
    ];

    /// <summary>What lies between the card and the sockets.</summary>
    public static IReadOnlyList<HostCheck> Queues { get; } =
    [
        new("netdev-max-backlog", QueueChecks.Backlog) { HasSetting = true },
        new("netdev-budget", QueueChecks.Budget) { HasSetting = true },
        new("qdisc-drops", QueueChecks.Drops) { HasSetting = true },
        new("tx-queue-len", QueueChecks.Length) { HasSetting = true },
        new("default-qdisc", QueueChecks.DefaultKind) { HasSetting = true },
    ];

    /// <summary>Connection tracking and the firewall.</summary>
    public static IReadOnlyList<HostCheck> Netfilter { get; } =
    [
        new("firewall", NetfilterChecks.Firewall),
        new("conntrack", NetfilterChecks.Connections) { HasSetting = true },
        new("conntrack-timeout", NetfilterChecks.Lifetime) { HasSetting = true },
    ];

    /// <summary>What IP and UDP count.</summary>
    public static IReadOnlyList<HostCheck> Protocol { get; } =
    [
        new("rp-filter", ProtocolChecks.ReversePath) { HasSetting = true },
        new("ip-fragments", ProtocolChecks.Fragments) { HasSetting = true },
        new("no-ports", ProtocolChecks.NoPorts),
        new("checksum-errors", ProtocolChecks.Checksums),
        new("ip-discards", ProtocolChecks.Discards),
        // The look-up of a datagram's socket ahead of its route.
        SysctlCheck.Of(
            "udp-early-demux",
            "net.ipv4.udp_early_demux",
            static value => value == 0 ? "off" : "on",
            "On helps connected sockets; off gave 0.8 to 3 % to unconnected ones on ARM64 (Linux commit dddb64bcb346). "
                + "Measure before changing it."),
    ];

    /// <summary>Cards and their drivers.</summary>
    public static IReadOnlyList<HostCheck> Cards { get; } =
    [
        new("card-drops", CardLossChecks.Drops),
        new("ring", CardLossChecks.Ring) { HasSetting = true },
        new("cloud-allowance", CardLossChecks.Allowance),
        new("flow-hash", CardQueueChecks.FlowHashes) { HasSetting = true },
        new("queue-count", CardQueueChecks.Count) { HasSetting = true },
        new("offloads", CardFeatureChecks.Needed) { HasSetting = true },
        new("udp-segmentation", CardFeatureChecks.Segmentation) { HasSetting = true },
        new("udp-gro-forwarding", CardFeatureChecks.Forwarding) { HasSetting = true },
        new("steering", CardQueueChecks.Steering) { HasSetting = true },
        new("coalescing", CardQueueChecks.Coalescing) { HasSetting = true },
        new("pause", CardLinkChecks.Pause) { HasSetting = true },
        new("link-speed", CardLinkChecks.Speed),
    ];

    /// <summary>The CPUs, and the machine that has them.</summary>
    public static IReadOnlyList<HostCheck> Cpus { get; } =
    [
        new("steal", CpuChecks.Steal),
        new("cpu-quota", CpuChecks.Quota),
        new("interrupt-cpus", CardPlaceChecks.InterruptCpus) { HasSetting = true },
        new("numa-node", CardPlaceChecks.Node),
        new("pcie-link", CardLinkChecks.Pcie),
        new("governor", CpuChecks.Governor) { HasSetting = true },
        new("idle-states", CpuChecks.IdleStates),
        new("irqbalance", CpuChecks.IrqBalance),
        new("clock-source", CpuChecks.ClockSource),
        new("iommu", CardPlaceChecks.Iommu),
        new("smt", CpuChecks.Smt),
        new("container", CpuChecks.Container),
        new("mitigations", CpuChecks.Mitigations),
    ];

    /// <summary>The way to another host.</summary>
    public static IReadOnlyList<HostCheck> Paths { get; } =
    [
        new("path-mtu", PathChecks.Mtu),
        new("jumbo", PathChecks.Jumbo) { IsLinuxOnly = false },
        new("ecmp", PathChecks.NextHops) { HasSetting = true },
        new("ecn", PathChecks.Ecn),
    ];

    public static IReadOnlyList<HostCheck> All { get; } =
        [.. Sockets, .. Queues, .. Netfilter, .. Protocol, .. Cards, .. Cpus, .. Paths];
}
