using System.Buffers;
using System.Net.Sockets;
using Spate.HostTuning.Counters;
using Spate.Measurement.Arithmetic;
using static Spate.Measurement.Loss.LossText;

namespace Spate.Measurement.Loss;

/// <summary>
/// What each place is called in a verdict, with its figures, and the command that would help. Names that come from the
/// other end are left out unless they are plain, since the command is there to be pasted into a shell.
/// </summary>
internal static partial class VerdictText
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

    private static readonly (string Name, Func<InterfaceCounters, long?> Count)[] SendFaults =
    [
        ("tx_carrier_errors", static one => one.TxCarrierErrors),
        ("tx_fifo_errors", static one => one.TxFifoErrors),
        ("tx_errors", static one => one.TxErrors),
        ("tx_dropped", static one => one.TxDropped),
    ];

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
                "between the two hosts, where neither end counts", RateOf(Delivered(evidence), evidence)),
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
            : OfInterface("sender", evidence.SenderInterfaces, limits.SenderInterface, SenderOf(evidence), SendFaults);
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
        (string Name, Func<InterfaceCounters, long?> Count)[] faults)
    {
        string counter = faults.MaxBy(fault => DropCounts.SumOf(counters, names, fault.Count) ?? 0).Name;
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

    private static long Both(long? four, long? six) => Saturating.Add(Math.Max(0, four ?? 0), Math.Max(0, six ?? 0));

    private static string Named(string? name) => name is null ? "" : $" {name}";

    private static string On(string? name) => Plain(name) is { } plain ? $" on {plain}" : "";

    private static string? Plain(string? name) =>
        name is { Length: > 0 and <= MaxNameChars } && name[0] != '-' && !name.AsSpan().ContainsAnyExcept(PlainChars)
            ? name
            : null;
}
