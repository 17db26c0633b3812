using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>
/// What the kernel's IPv4 or IPv6 has counted in one network namespace (RFC 4293, and Linux's additions): the lines
/// <c>Ip</c> of <c>/proc/net/snmp</c> with <c>IpExt</c> and <c>TcpExt</c> of <c>/proc/net/netstat</c>, or the lines
/// <c>Ip6</c> of <c>/proc/net/snmp6</c>. All protocols above IP count here. Null where the system does not tell.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct IpCounters
{
    /// <summary>Packets that came in. A coalesced buffer counts as one; see <see cref="InSegments"/>.</summary>
    public long? InReceives { get; init; }

    /// <summary>
    /// Packets handed to UDP or another protocol, after the firewall. A coalesced buffer counts as one.
    /// </summary>
    public long? InDelivers { get; init; }

    /// <summary>Packets with a wrong header: version, length, checksum, hop limit.</summary>
    public long? InHdrErrors { get; init; }

    /// <summary>Packets to an address that is not this host's, and which it does not forward.</summary>
    public long? InAddrErrors { get; init; }

    /// <summary>Packets dropped though nothing was wrong with them, for instance for lack of memory.</summary>
    public long? InDiscards { get; init; }

    /// <summary>Packets that came in and that no route leads on from.</summary>
    public long? InNoRoutes { get; init; }

    /// <summary>Packets that this host's programs asked to send. A segmented send counts as one.</summary>
    public long? OutRequests { get; init; }

    /// <summary>Packets that were dropped while they were sent, for instance by a full queueing discipline.</summary>
    public long? OutDiscards { get; init; }

    /// <summary>Packets that no route leads to the destination of.</summary>
    public long? OutNoRoutes { get; init; }

    /// <summary>Packets that were not put together again, since a fragment was missing or memory was short.</summary>
    public long? ReasmFails { get; init; }

    /// <summary>Packets that needed fragmenting and were not allowed it.</summary>
    public long? FragFails { get; init; }

    /// <summary>
    /// Packets dropped because their source is reached by another interface (<c>rp_filter</c>); IPv4 only.
    /// </summary>
    public long? ReversePathFilter { get; init; }

    /// <summary>
    /// Packets that came in, counted ahead of the firewall and with each datagram of a coalesced buffer as one: the
    /// sum of <c>InNoECTPkts</c>, <c>InECT1Pkts</c>, <c>InECT0Pkts</c> and <c>InCEPkts</c>. Fragments count singly.
    /// </summary>
    public long? InSegments { get; init; }

    /// <summary>What was counted between two readings; null where either is unknown.</summary>
    public static IpCounters operator -(IpCounters later, IpCounters earlier) => new()
    {
        InReceives = CounterDelta.Wide(later.InReceives, earlier.InReceives),
        InDelivers = CounterDelta.Wide(later.InDelivers, earlier.InDelivers),
        InHdrErrors = CounterDelta.Wide(later.InHdrErrors, earlier.InHdrErrors),
        InAddrErrors = CounterDelta.Wide(later.InAddrErrors, earlier.InAddrErrors),
        InDiscards = CounterDelta.Wide(later.InDiscards, earlier.InDiscards),
        InNoRoutes = CounterDelta.Wide(later.InNoRoutes, earlier.InNoRoutes),
        OutRequests = CounterDelta.Wide(later.OutRequests, earlier.OutRequests),
        OutDiscards = CounterDelta.Wide(later.OutDiscards, earlier.OutDiscards),
        OutNoRoutes = CounterDelta.Wide(later.OutNoRoutes, earlier.OutNoRoutes),
        ReasmFails = CounterDelta.Wide(later.ReasmFails, earlier.ReasmFails),
        FragFails = CounterDelta.Wide(later.FragFails, earlier.FragFails),
        ReversePathFilter = CounterDelta.Wide(later.ReversePathFilter, earlier.ReversePathFilter),
        InSegments = CounterDelta.Wide(later.InSegments, earlier.InSegments),
    };

    public static IpCounters Subtract(IpCounters later, IpCounters earlier) => later - earlier;
}
