using Spate.HostTuning.Counters;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using static Spate.Measurement.Loss.LossText;

namespace Spate.Measurement.Loss;

// The places of the receiving host.
internal static partial class VerdictText
{
    private static readonly (string Name, Func<InterfaceCounters, long?> Count)[] ReceiveFaults =
    [
        ("rx_missed_errors", static one => one.RxMissedErrors),
        ("rx_fifo_errors", static one => one.RxFifoErrors),
        ("rx_nohandler", static one => one.RxNoHandler),
        ("rx_errors", static one => one.RxErrors),
        ("rx_dropped", static one => one.RxDropped),
    ];

    private static (string What, string? Remedy) ReceiverInterface(
        LossEvidence evidence, DropCounts limits, long lost)
    {
        string? name = Plain(evidence.ReceiverInterface);
        if (evidence is { ExceedsReceiverMtu: true, ReceiverMtuBytes: { } mtu })
        {
            return (
                Line($"the receiver's interface{Named(name)}, whose MTU of {mtu} bytes is too small for datagrams of ")
                    + Line($"{evidence.SizeBytes} bytes"),
                Line($"--size {Math.Max(0, mtu - evidence.HeaderBytes)}"));
        }

        long ring = evidence.ReceiverDelta?.Interfaces
            .Where(one => DropCounts.IsNamed(one.Name, evidence.ReceiverInterfaces))
            .Aggregate(0L, static (sum, one) => Saturating.Add(sum, Math.Max(
                Math.Max(0, one.RxMissedErrors ?? 0), one.RxFifoErrors ?? 0))) ?? 0;
        return name is not null && 2 * (Int128)ring > lost
            ? (Line($"the ring of the receiver's interface {name} ({ring} missed)"), $"ethtool -G {name} rx 4096")
            : OfInterface(
                "receiver",
                evidence.ReceiverInterfaces,
                Saturating.Add(limits.ReceiverCard ?? 0, limits.ReceiverDropped ?? 0),
                evidence.ReceiverDelta,
                ReceiveFaults);
    }

    private static (string What, string? Remedy) Backlog(LossEvidence evidence, DropCounts limits)
    {
        long limit = Math.Max(0, evidence.BacklogLimit ?? DefaultBacklogLimit);

        // Only the first network namespace shows this limit, and only there it can be set (net/core/sysctl_net_core.c).
        string figure = evidence.BacklogLimit is null
            ? "; its limit is set on the host, not in a network namespace"
            : Line($", room for {limit}");
        return (
            Line($"the backlog queue of the receiving host's CPUs ({limits.Backlog} drops{figure})"),
            Line($"sysctl -w net.core.netdev_max_backlog={Math.Max(MinBacklogLimit, Saturating.Multiply(2, limit))}"));
    }

    private static (string What, string? Remedy) Ip(LossEvidence evidence)
    {
        IpCounters four = evidence.ReceiverDelta?.Ip4 ?? default;
        IpCounters six = evidence.ReceiverDelta?.Ip6 ?? default;

        // sysctl(8): a dot within a name is written as a slash.
        string name = Plain(evidence.ReceiverInterface)?.Replace('.', '/') ?? "all";
        (string What, long Count, string Remedy)[] causes =
        [
            ("which could not put fragments together (ReasmFails", Both(four.ReasmFails, six.ReasmFails), "--size mtu"),
            (
                "whose reverse path filter rejected the sender's address (IPReversePathFilter",
                four.ReversePathFilter ?? 0,
                $"sysctl -w net.ipv4.conf.{name}.rp_filter=2"),
            ("which found no route (InNoRoutes", Both(four.InNoRoutes, six.InNoRoutes), "ip route"),
            ("which does not have the address (InAddrErrors", Both(four.InAddrErrors, six.InAddrErrors), "ip address"),
            ("which found wrong headers (InHdrErrors", Both(four.InHdrErrors, six.InHdrErrors), "nstat -az 'Ip*'"),
            ("which discarded them (InDiscards", Both(four.InDiscards, six.InDiscards), "nstat -az 'Ip*'"),
        ];
        (string what, long count, string remedy) = causes.MaxBy(static cause => cause.Count);
        return (Line($"the receiving host's IP, {what} {count})"), remedy);
    }

    private static (string What, string? Remedy) Firewall(LossEvidence evidence, DropCounts limits)
    {
        ConntrackCounters? tracking = evidence.ReceiverDelta?.Conntrack;
        if (2 * (Int128)(tracking?.Drops ?? 0) >= limits.Vanished)
        {
            string room = tracking is { Count: { } count, Max: { } max } ? Line($", {count} of {max} connections") : "";
            long more = tracking?.Max is > 0 and { } limit ? Saturating.Multiply(2, limit) : UsualConnections;
            return (
                Line($"the receiving host's full connection tracking table ({tracking?.Drops} drops{room})"),
                Line($"sysctl -w net.netfilter.nf_conntrack_max={more}"));
        }

        return (
            Line($"a firewall of the receiving host ({limits.Vanished} packets vanished {limits.WhereVanished})"),
            Ruleset);
    }

    private static (string What, string? Remedy) Udp(LossEvidence evidence)
    {
        UdpProtocolCounters four = evidence.ReceiverDelta?.Udp4 ?? default;
        UdpProtocolCounters six = evidence.ReceiverDelta?.Udp6 ?? default;
        (string What, long Count, string Remedy)[] causes =
        [
            ("has no socket at the port (NoPorts", Both(four.NoPorts, six.NoPorts), "ss -lun"),
            ("found wrong checksums (InCsumErrors", Both(four.InCsumErrors, six.InCsumErrors), "--no-gso"),
            ("had no memory left (MemErrors", Both(four.MemErrors, six.MemErrors), "sysctl net.ipv4.udp_mem"),
        ];
        (string what, long count, string remedy) = causes.MaxBy(static cause => cause.Count);
        return (Line($"the receiving host's UDP, which {what} {count})"), remedy);
    }

    private static (string What, string? Remedy) Socket(
        LossEvidence evidence, DropCounts limits, ReaderSchedule reader)
    {
        // RcvbufErrors does not count what a filter rejects (udp_queue_rcv_one_skb, net/ipv4/udp.c). The usual one is a
        // program of the control group, such as that of systemd's IPAddressDeny=.
        long drops = Math.Max(0, evidence.SocketDrops ?? 0);
        long rejected = Math.Max(0, drops - (limits.FullBuffers ?? drops)) - limits.BehindSocket;
        if (rejected > drops - rejected)
        {
            return (Line($"a filter of this socket, which rejected {rejected} packets"), "bpftool cgroup tree");
        }

        string figures = evidence is { ReceiveBufferGrantedBytes: { } granted, ReceiveBufferAskedBytes: { } asked }
            ? Line($" ({granted} bytes granted, {asked} asked)")
            : "";
        double away = evidence.Seconds > 0
            ? 100 * (reader.WaitingSeconds + evidence.StoppedSeconds) / evidence.Seconds
            : 0;
        string buffer = $"this socket's receive buffer{figures}";
        if (evidence.Seconds > 0 && 100 * reader.CpuSeconds / evidence.Seconds is >= BusyCpuPercent and var busy)
        {
            string used = Line($"{buffer}, whose reader used {Math.Min(100, busy):F0} % of a CPU");
            return (used, RateOf(Delivered(evidence), evidence));
        }

        string waited = away >= MinAwayPercent
            ? Line($", while its reader was not running for {Math.Min(100, away):F0} % of the time")
            : "";
        return (buffer + waited, LargerBuffer(evidence));
    }

    private static string LargerBuffer(LossEvidence evidence)
    {
        long granted = Math.Max(0, evidence.ReceiveBufferGrantedBytes ?? 0);
        if (evidence.ReceiveBufferAskedBytes is { } asked && evidence.ReceiveBufferGrantedBytes < asked)
        {
            return Line($"sysctl -w net.core.rmem_max={asked}");
        }

        string option = evidence.IsReceiverRemote ? "--remote-buffer" : "--buffer";
        return Line($"{option} {Math.Max(UdpSocketOptions.DefaultBufferBytes, Saturating.Multiply(2, granted))}");
    }

    private static (string What, string? Remedy) Reader(LossEvidence evidence, ReaderLoss readers)
    {
        ReaderSchedule reader = readers.Away;
        string of = $"of {Seconds(evidence.Seconds)}";
        if (evidence.StoppedSeconds >= reader.WaitingSeconds)
        {
            return ($"the receiver, which was stopped for {Within(evidence.StoppedSeconds, evidence)} {of}", null);
        }

        string who = readers.Count > 1
            ? Line($"{readers.AwayCount} of the receiver's {readers.Count} threads")
            : "the receiver";
        string most = readers.AwayCount > 1 ? "up to " : "";
        // A thread that the quota stops counts as one that waits. It stops all threads of the process at once, so no
        // thread waits longer for it than the sum.
        if (2 * evidence.ThrottledSeconds >= reader.WaitingSeconds)
        {
            return (
                $"{who}, which its control group's quota (cpu.max) stopped for {most}"
                    + $"{Within(Math.Min(reader.WaitingSeconds, evidence.ThrottledSeconds ?? 0), evidence)} {of}: "
                    + "grant more CPU time",
                null);
        }

        string waited = $"{who}, which waited {most}{Within(reader.WaitingSeconds, evidence)} {of} for a CPU";
        return reader.IsStolen
            ? ($"{waited} that the hypervisor gave to others", null)
            : (waited, evidence.IsReceiverRemote ? "--remote-cpu auto" : "--cpu auto");
    }

    // A schedule ends in the first pause behind the last datagram, which is a little later than the test's time.
    private static string Within(double seconds, LossEvidence evidence) =>
        Seconds(Math.Min(seconds, evidence.Seconds));

    private static string Seconds(double seconds) => Line($"{seconds:0.0##} s");
}
