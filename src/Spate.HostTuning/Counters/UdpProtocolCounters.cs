using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>
/// What the kernel's UDP has counted in one network namespace, for IPv4 or for IPv6 (RFC 4113, and Linux's additions):
/// the line <c>Udp</c> of <c>/proc/net/snmp</c>, or the lines <c>Udp6</c> of <c>/proc/net/snmp6</c>. All sockets of
/// the namespace count here. Null where the system does not tell.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct UdpProtocolCounters
{
    /// <summary>
    /// Datagrams that were read from sockets. A coalesced buffer counts as one where a socket takes such buffers.
    /// </summary>
    public long? InDatagrams { get; init; }

    /// <summary>Datagrams to a port that no socket is bound to.</summary>
    public long? NoPorts { get; init; }

    /// <summary>
    /// Datagrams that were dropped before a socket's queue, or in it. Includes <see cref="RcvbufErrors"/>,
    /// <see cref="MemErrors"/> and <see cref="InCsumErrors"/>, and what a socket's filter rejected.
    /// </summary>
    public long? InErrors { get; init; }

    /// <summary>Datagrams that were sent. A segmented send counts as one.</summary>
    public long? OutDatagrams { get; init; }

    /// <summary>Datagrams, or coalesced buffers, for which a socket's receive buffer had no room.</summary>
    public long? RcvbufErrors { get; init; }

    /// <summary>
    /// Sends that failed for lack of buffer memory, or were dropped by the queueing discipline of the interface.
    /// </summary>
    public long? SndbufErrors { get; init; }

    /// <summary>Datagrams with a wrong checksum.</summary>
    public long? InCsumErrors { get; init; }

    /// <summary>
    /// Datagrams, or coalesced buffers, for which all of UDP had no memory left (<c>net.ipv4.udp_mem</c>). Linux counts
    /// them since 5.11.
    /// </summary>
    public long? MemErrors { get; init; }

    /// <summary>What was counted between two readings; null where either is unknown.</summary>
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
