using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>
/// What UDP over IPv4 or IPv6 has counted in one network namespace (RFC 4113), for all sockets: <c>Udp</c> of
/// <c>/proc/net/snmp</c>, or <c>Udp6</c> of <c>snmp6</c>. Null where the system does not tell.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct UdpProtocolCounters
{
    /// <summary>Those that were read. A coalesced buffer counts as one where a socket takes such buffers.</summary>
    public long? InDatagrams { get; init; }

    public long? NoPorts { get; init; }

    /// <summary>
    /// Datagrams that were dropped before a socket's queue, or in it. Includes <see cref="RcvbufErrors"/>,
    /// <see cref="MemErrors"/> and <see cref="InCsumErrors"/>, and what a socket's filter rejected.
    /// </summary>
    public long? InErrors { get; init; }

    /// <summary>A segmented send counts as one.</summary>
    public long? OutDatagrams { get; init; }

    /// <summary>A socket's receive buffer had no room. A coalesced buffer counts as one.</summary>
    public long? RcvbufErrors { get; init; }

    /// <summary>Lack of buffer memory, or dropped by the queueing discipline of the interface.</summary>
    public long? SndbufErrors { get; init; }

    public long? InCsumErrors { get; init; }

    /// <summary>All of UDP had no memory left (<c>net.ipv4.udp_mem</c>). Counted since Linux 5.11.</summary>
    public long? MemErrors { get; init; }

    public static UdpProtocolCounters operator -(UdpProtocolCounters later, UdpProtocolCounters earlier) => new()
    {
        InDatagrams = CounterDelta.Wide(later.InDatagrams, earlier.InDatagrams),
        NoPorts = CounterDelta.Wide(later.NoPorts, earlier.NoPorts),
        InErrors = CounterDelta.Wide(later.InErrors, earlier.InErrors),
        OutDatagrams = CounterDelta.Wide(later.OutDatagrams, earlier.OutDatagrams),
        RcvbufErrors = CounterDelta.Wide(later.RcvbufErrors, earlier.RcvbufErrors),
        SndbufErrors = CounterDelta.Wide(later.SndbufErrors, earlier.SndbufErrors),
        InCsumErrors = CounterDelta.Wide(later.InCsumErrors, earlier.InCsumErrors),
        MemErrors = CounterDelta.Wide(later.MemErrors, earlier.MemErrors),
    };

    public static UdpProtocolCounters Subtract(UdpProtocolCounters later, UdpProtocolCounters earlier) =>
        later - earlier;
}
