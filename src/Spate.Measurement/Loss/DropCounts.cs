using System.Net.Sockets;
using Spate.HostTuning.Counters;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Loss;

/// <summary>
/// How many packets each place dropped at most. What two counters count for the same packet is taken out. Null where
/// the counters do not show. docs/measure/counters.md names the kernel's functions.
/// </summary>
internal sealed record DropCounts
{
    private const string Loopback = "lo";
    private const string ClassifierQueue = "clsact";

    /// <summary>Drops of the root queueing discipline, which include those of the disciplines below it.</summary>
    public long? SenderQueue { get; init; }

    /// <summary>Packets that the output path refused (ENOBUFS) and that neither queue nor interface counts.</summary>
    public long? SenderSocket { get; init; }

    public long? SenderInterface { get; init; }

    /// <summary>Packets that the card or its driver could not take.</summary>
    public long? ReceiverCard { get; init; }

    /// <summary>The interface's <c>rx_dropped</c> without the backlog's: also unwanted frames, such as LLDP.</summary>
    public long? ReceiverDropped { get; init; }

    public long? Backlog { get; init; }

    /// <summary>The interface took them and IP never saw them. Frames of other protocols are among them.</summary>
    public long Ingress { get; init; }

    public long? Ip { get; init; }

    /// <summary>Came in at IP and reached no protocol above: also forwarded packets and unwanted multicast.</summary>
    public long? Firewall { get; init; }

    /// <summary>Datagrams that UDP dropped and that no socket's full buffer explains.</summary>
    public long? Udp { get; init; }

    /// <summary>Packets that the buffers of all sockets of the receiver's namespace had no room for.</summary>
    public long? FullBuffers { get; init; }

    /// <summary>Packets that reached a socket and were dropped for lack of UDP's memory or by checksum.</summary>
    public long BehindSocket { get; init; }

    /// <summary>Datagrams that came in at IP, those of GSO messages counted one by one: ours and all others.</summary>
    public long? Segments { get; init; }

    /// <summary>The larger part of what is found missing between two counters of the receiving host.</summary>
    public long Vanished => Math.Max(Firewall ?? 0, Ingress);

    /// <summary>Where <see cref="Vanished"/> was, in the words of a sentence.</summary>
    public string WhereVanished => Ingress > (Firewall ?? 0) ? "between its interface and IP" : "between IP and UDP";

    public static DropCounts Of(LossEvidence evidence)
    {
        NetworkCounters? receiver = evidence.ReceiverDelta;
        NetworkCounters? sender = evidence.SharesNamespace ? receiver : evidence.SenderDelta;
        long? backlog = BacklogOf(receiver, evidence.ReceiverInterfaces);
        long? dropped = SumOf(receiver, evidence.ReceiverInterfaces, static one => one.RxDropped);

        // enqueue_to_backlog (net/core/dev.c) counts one packet in softnet_stat and as its interface's rx_dropped.
        long? unwanted = AtLeastZero(dropped - (backlog ?? 0));
        long? refused = OutputRefusals(sender, evidence);
        long? queue = QueueDrops(sender, evidence.SenderInterfaces);
        long? transmit = SumOf(sender, evidence.SenderInterfaces, SendFaults);
        var limits = new DropCounts
        {
            SenderQueue = queue,

            // Both count what they dropped as refused too. Where one of them is not known, as after a queue was set up
            // in between, what it dropped would look like the socket's.
            SenderSocket = AtLeastZero(refused - queue - transmit),

            // veth_xmit (drivers/net/veth.c) counts what its other end could not take as its own tx_dropped.
            SenderInterface = evidence.SharesHost ? AtLeastZero(transmit - (dropped ?? 0)) : transmit,
            ReceiverCard = SumOf(receiver, evidence.ReceiverInterfaces, CardFaults),
            ReceiverDropped = unwanted,
            Backlog = backlog,
        };
        return limits.WithProtocols(evidence, unwanted ?? 0, backlog ?? 0);
    }

    public static bool IsNamed(string name, IReadOnlyList<string> wanted) =>
        wanted.Count == 0 || wanted.Contains(name, StringComparer.Ordinal);

    public static long? SumOf(
        NetworkCounters? counters, IReadOnlyList<string> names, Func<InterfaceCounters, long?> select)
    {
        if (counters is null || !HasAll(names, counters.Interfaces.Select(static one => one.Name))) return null;

        long? sum = null;
        foreach (InterfaceCounters one in counters.Interfaces)
        {
            if (!IsNamed(one.Name, names)) continue;
            if (select(one) is not { } count) return null;

            sum = Saturating.Add(sum ?? 0, Math.Max(0, count));
        }

        return sum;
    }

    private static long? AtLeastZero(long? value) => value is < 0 ? 0 : value;

    private static long? BacklogOf(NetworkCounters? receiver, IReadOnlyList<string> names)
    {
        long? drops = AtLeastZero(receiver?.Softnet.Dropped);

        // softnet_stat is the whole machine's; of the loopback every drop of it counts as rx_dropped too.
        return names is [Loopback] && SumOf(receiver, names, static one => one.RxDropped) is { } dropped
            ? drops is { } all ? Math.Min(all, dropped) : null
            : drops;
    }

    // The smaller one is exact: SndbufErrors also counts sends that found the socket's buffer full and were made again
    // (udp_sendmsg, SOCK_NOSPACE), OutDiscards also counts what a firewall refused with EPERM (ip_send_skb), which the
    // sender knows.
    private static long? OutputRefusals(NetworkCounters? sender, LossEvidence evidence)
    {
        long? failed = Protocol(sender, evidence.IsIPv6, static udp => udp.SndbufErrors);
        long? discarded = Layer(sender, evidence.IsIPv6, static ip => ip.OutDiscards);
        long forbidden = evidence.RefusedBecause == SocketError.AccessDenied ? Math.Max(0, evidence.Refused) : 0;
        return failed is { } left && discarded is { } right ? Math.Min(left, Math.Max(0, right - forbidden)) : failed;
    }

    private static long? QueueDrops(NetworkCounters? sender, IReadOnlyList<string> names)
    {
        if (sender is null || !HasAll(names, sender.Queues.Select(static queue => queue.Interface))) return null;

        long? drops = null;
        foreach (QueueCounters queue in sender.Queues)
        {
            bool isOnTheWay = queue.IsRoot || string.Equals(queue.Kind, ClassifierQueue, StringComparison.Ordinal);
            if (!isOnTheWay || !IsNamed(queue.Interface, names)) continue;
            if (queue.Drops is not { } count) return null;

            drops = Saturating.Add(drops ?? 0, Math.Max(0, count));
        }

        return drops;
    }

    // rtnl_link_stats64 (linux/if_link.h): drivers count fifo and carrier errors in the errors too, some only there.
    private static long? SendFaults(InterfaceCounters one) => one.TxDropped is { } dropped
        ? Sum(dropped, Largest(one.TxErrors, one.TxFifoErrors, one.TxCarrierErrors))
        : null;

    private static long? CardFaults(InterfaceCounters one) =>
        Sum(one.RxMissedErrors, one.RxNoHandler, Largest(one.RxErrors, one.RxFifoErrors));

    // Unknown counts add nothing, and neither do negative ones, which a report of a stranger may have.
    internal static long Sum(params ReadOnlySpan<long?> counts)
    {
        long sum = 0;
        foreach (long? count in counts) sum = Saturating.Add(sum, Math.Max(0, count ?? 0));

        return sum;
    }

    private static long Largest(params ReadOnlySpan<long?> counts)
    {
        long largest = 0;
        foreach (long? count in counts) largest = Math.Max(largest, count ?? 0);

        return largest;
    }

    // A sum that lacks one of the interfaces would exclude that one without having looked.
    private static bool HasAll(IReadOnlyList<string> names, IEnumerable<string> read) =>
        !names.Except(read, StringComparer.Ordinal).Any();

    private static long? Protocol(
        NetworkCounters? counters, bool? isIPv6, Func<UdpProtocolCounters, long?> select) => counters is null
        ? null
        : OfFamily(select(counters.Udp4), select(counters.Udp6), isIPv6);

    private static long? Layer(NetworkCounters? counters, bool? isIPv6, Func<IpCounters, long?> select) =>
        counters is null ? null : OfFamily(select(counters.Ip4), select(counters.Ip6), isIPv6);

    // A host without IPv6 has no counters of it: the other family's are then all there is.
    private static long? OfFamily(long? four, long? six, bool? isIPv6) => isIPv6 switch
    {
        true => AtLeastZero(six),
        false => AtLeastZero(four),
        null when four is null && six is null => null,
        null => Sum(four, six),
    };

    private DropCounts WithProtocols(LossEvidence evidence, long unwanted, long backlog)
    {
        NetworkCounters? receiver = evidence.ReceiverDelta;
        bool? isIPv6 = evidence.IsIPv6;
        long? LayerSum(Func<IpCounters, long?> select) => Layer(receiver, isIPv6, select);

        long? received = LayerSum(static ip => ip.InReceives);
        long wrong = Sum(
            LayerSum(static ip => ip.InHdrErrors),
            LayerSum(static ip => ip.InAddrErrors),
            LayerSum(static ip => ip.InDiscards),
            LayerSum(static ip => ip.InNoRoutes),
            LayerSum(static ip => ip.ReversePathFilter));
        long? errors = Protocol(receiver, isIPv6, static udp => udp.InErrors);
        long? full = Protocol(receiver, isIPv6, static udp => udp.RcvbufErrors);

        // InErrors counts what sockets dropped too: for a full buffer (__udp_queue_rcv_skb) and by their filter.
        long atSockets = Math.Max(full ?? 0, evidence.SocketDrops ?? 0);
        long? noSocket = Protocol(receiver, isIPv6, static udp => udp.NoPorts);
        long? all = SumOf(receiver, evidence.ReceiverInterfaces, static one => one.RxPackets);
        long? segments = Layer(receiver, null, static ip => ip.InSegments);
        long? notDelivered = AtLeastZero(received - LayerSum(static ip => ip.InDelivers) - wrong);
        return this with
        {
            Ip = received is null ? null : Sum(wrong, LayerSum(static ip => ip.ReasmFails)),

            // Each fragment is received, and only whole datagrams are delivered: the difference would say nothing.
            Firewall = evidence.IsFragmented ? null : notDelivered,
            Ingress = AtLeastZero(all - segments - unwanted - backlog) ?? 0,
            Udp = AtLeastZero(errors - atSockets) is { } others ? Saturating.Add(others, noSocket ?? 0) : null,
            FullBuffers = full,
            BehindSocket = Sum(
                Protocol(receiver, isIPv6, static udp => udp.MemErrors),
                Protocol(receiver, isIPv6, static udp => udp.InCsumErrors)),
            Segments = Layer(receiver, isIPv6, static ip => ip.InSegments),
        };
    }
}
