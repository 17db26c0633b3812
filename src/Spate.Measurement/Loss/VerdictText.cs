using System.Buffers;
using System.Net.Sockets;
using Spate.HostTuning.Counters;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using static Spate.Measurement.Loss.LossText;

namespace Spate.Measurement.Loss;

/// <summary>
/// What each place is called in a verdict, with its figures, and the command that would help. Names that come from the
/// other end are left out unless they are plain, since the command is there to be pasted into a shell.
/// </summary>
internal static class VerdictText
{
    private const string Ruleset = "nft list ruleset";

    // The default of net.core.netdev_max_backlog; ten times as much holds 10 ms of a million packets a second.
    private const long DefaultBacklogLimit = 1000;
    private const long MinBacklogLimit = 10 * DefaultBacklogLimit;

    private const long UsualConnections = 262_144;
    private const double BusyCpuPercent = 90;
    private const double MinAwayPercent = 2;

    // A rate below what got through, in two digits. What a queue held at the end got through too, at no rate of its
    // own, and a paced sender catches up in bursts.
    private const double RateMargin = 0.9;

    // IFNAMSIZ (linux/if.h) leaves 15 bytes for a name.
    private const int MaxNameChars = 15;

    private static readonly SearchValues<char> PlainChars =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:@-");

    public static (string What, string? Remedy) Of(
        LossPlace place, LossEvidence evidence, DropCounts limits, LossAttribution allocation) => place switch
        {
            LossPlace.SenderApplication => SenderApplication(evidence),
            LossPlace.SenderSocket => (
                Line($"the sending host, which dropped {limits.SenderSocket} below the socket (SndbufErrors)"),
                Ruleset),
            LossPlace.SenderQueue => SenderQueue(evidence, limits),
            LossPlace.SenderInterface => SenderInterface(evidence, limits),
            LossPlace.Path => (
                "between the two hosts, where neither end has counters", RateOf(Delivered(evidence), evidence)),
            LossPlace.ReceiverInterface => ReceiverInterface(evidence, limits, allocation[place]),
            LossPlace.Backlog => Backlog(evidence, limits),
            LossPlace.Ip => Ip(evidence),
            LossPlace.Firewall => Firewall(evidence, limits),
            LossPlace.Udp => Udp(evidence),
            LossPlace.Socket => Socket(evidence, limits, allocation.Readers.Present),
            LossPlace.Reader => Reader(evidence, allocation.Readers),
            LossPlace.Corrupted => (
                Line($"corruption on the way: {evidence.Corrupted} datagrams arrived with a wrong checksum (--verify)"),
                null),
            _ => throw new ArgumentOutOfRangeException(nameof(place), place, "Not a place."),
        };

    /// <summary>The rate that the sender did reach, for one that could not keep the rate asked for.</summary>
    public static string? RateOfSent(LossEvidence evidence) => RateOf(evidence.Accepted, evidence);

    private static (string What, string? Remedy) SenderApplication(LossEvidence evidence)
    {
        string refused = Line($"the sending host, which refused {evidence.Refused} datagrams");
        return evidence.RefusedBecause switch
        {
            SocketError.MessageSize => (
                Line($"{refused} of {evidence.SizeBytes} bytes as larger than the path"), "--size mtu"),
            SocketError.AccessDenied => ($"{refused} by a firewall or a full connection tracking table", Ruleset),
            SocketError.NetworkUnreachable or SocketError.HostUnreachable or SocketError.NetworkDown =>
                (Line($"{refused} ({evidence.RefusedBecause})"), "ip route"),
            SocketError error => (Line($"{refused} ({error})"), null),
        };
    }

    private static (string What, string? Remedy) SenderQueue(LossEvidence evidence, DropCounts limits)
    {
        QueueCounters? queue = FullestQueue(
            evidence, queue => DropCounts.IsNamed(queue.Interface, evidence.SenderInterfaces));
        return (
            Line($"the sender's queue{Named(Plain(queue?.Kind))}{On(queue?.Interface)} ")
                + Line($"({limits.SenderQueue} drops)"),
            RateOf(Delivered(evidence), evidence));
    }

    // An interface without a queue (macvlan, VLAN, tunnel) hands its packets to another one. What the queue of that one
    // does not take counts as dropped by both (macvlan_start_xmit, drivers/net/macvlan.c).
    private static (string What, string? Remedy) SenderInterface(LossEvidence evidence, DropCounts limits)
    {
        QueueCounters? below = FullestQueue(
            evidence, queue => !DropCounts.IsNamed(queue.Interface, evidence.SenderInterfaces));
        return 2 * (Int128)(below?.Drops ?? 0) >= limits.SenderInterface
            ? (
                Line($"the sender's interface{Named(Plain(evidence.SenderInterface))}, whose packets a queue below it ")
                    + Line($"dropped ({below!.Drops} drops of{Named(Plain(below.Kind))}{On(below.Interface)})"),
                RateOf(Delivered(evidence), evidence))
            : OfInterface("sender", evidence.SenderInterfaces, limits.SenderInterface, SenderOf(evidence), "tx_");
    }

    private static NetworkCounters? SenderOf(LossEvidence evidence) =>
        evidence.SharesNamespace ? evidence.ReceiverDelta : evidence.SenderDelta;

    private static QueueCounters? FullestQueue(LossEvidence evidence, Func<QueueCounters, bool> isWanted) =>
        SenderOf(evidence)?.Queues.Where(static queue => queue.IsRoot).Where(isWanted)
            .MaxBy(static queue => queue.Drops);

    // The counter that moved most names the fault; of equal ones the first, which is the more exact one.
    private static (string What, string? Remedy) OfInterface(
        string end,
        IReadOnlyList<string> names,
        long? drops,
        NetworkCounters? counters,
        string direction)
    {
        string counter = CounterTable.Interface
            .Where(row => row.IsWatched && row.Name.StartsWith(direction, StringComparison.Ordinal))
            .OrderBy(static row => row.IncludesOthers)
            .MaxBy(row => DropCounts.SumOf(counters, names, row.Get) ?? 0)!.Name;
        string? name = Plain(names is [var only] ? only : null);
        return (
            Line($"the {end}'s interface{Named(name)}, which dropped {drops} packets ({counter})"),
            name is null ? "ip -s -s link" : $"ip -s -s link show dev {name}");
    }

    private static long Delivered(LossEvidence evidence) =>
        Math.Max(0, Math.Max(0, evidence.Offered) - Math.Max(0, evidence.Missing));

    private static string? RateOf(long datagrams, LossEvidence evidence)
    {
        double rate = evidence.Seconds > 0 ? RateMargin * datagrams / evidence.Seconds : 0;
        if (!(rate is >= 1 and < 1e15)) return null;

        double digits = Math.Pow(10, Math.Max(0, Math.Floor(Math.Log10(rate)) - 1));
        return Line($"--rate {Math.Floor(rate / digits) * digits:F0}");
    }

    private static long Both(long? four, long? six) => DropCounts.Sum(four, six);

    private static string Named(string? name) => name is null ? "" : $" {name}";

    private static string On(string? name) => Plain(name) is { } plain ? $" on {plain}" : "";

    private static string? Plain(string? name) =>
        name is { Length: > 0 and <= MaxNameChars } && name[0] != '-' && !name.AsSpan().ContainsAnyExcept(PlainChars)
            ? name
            : null;

    // The places of the receiving host.
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
                "rx_");
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
            ("which could not reassemble fragments (ReasmFails", Both(four.ReasmFails, six.ReasmFails), "--size mtu"),
            (
                "whose reverse path filter rejected the sender's address (IPReversePathFilter",
                four.ReversePathFilter ?? 0,
                $"sysctl -w net.ipv4.conf.{name}.rp_filter=2"),
            ("which found no route (InNoRoutes", Both(four.InNoRoutes, six.InNoRoutes), "ip route"),
            ("which does not have the address (InAddrErrors", Both(four.InAddrErrors, six.InAddrErrors), "ip address"),
            ("which found invalid headers (InHdrErrors", Both(four.InHdrErrors, six.InHdrErrors), "nstat -az 'Ip*'"),
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
            ? Line($" ({granted} bytes granted, {asked} requested)")
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
