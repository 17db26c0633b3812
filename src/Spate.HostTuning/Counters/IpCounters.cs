using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>
/// What IPv4 or IPv6 has counted in one network namespace (RFC 4293), for all protocols above: <c>Ip</c> of
/// <c>/proc/net/snmp</c> with <c>netstat</c>, or <c>Ip6</c> of <c>snmp6</c>. Null where the system does not tell.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct IpCounters
{
    /// <summary>A coalesced buffer counts as one; see <see cref="InSegments"/>.</summary>
    public long? InReceives { get; init; }

    /// <summary>Handed to a protocol, after the firewall. A coalesced buffer counts as one.</summary>
    public long? InDelivers { get; init; }

    public long? InHdrErrors { get; init; }

    public long? InAddrErrors { get; init; }

    /// <summary>Nothing was wrong with them: for instance, memory was short.</summary>
    public long? InDiscards { get; init; }

    public long? InNoRoutes { get; init; }

    /// <summary>A segmented send counts as one.</summary>
    public long? OutRequests { get; init; }

    public long? OutDiscards { get; init; }

    public long? OutNoRoutes { get; init; }

    public long? ReasmFails { get; init; }

    public long? FragFails { get; init; }

    /// <summary>Dropped because their source is reached by another interface (<c>rp_filter</c>); IPv4 only.</summary>
    public long? ReversePathFilter { get; init; }

    /// <summary>
    /// Ahead of the firewall, with each datagram of a coalesced buffer as one: the sum of <c>InNoECTPkts</c>,
    /// <c>InECT1Pkts</c>, <c>InECT0Pkts</c> and <c>InCEPkts</c>. Fragments count singly.
    /// </summary>
    public long? InSegments { get; init; }

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
