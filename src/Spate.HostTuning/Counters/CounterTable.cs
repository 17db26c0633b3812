using System.Text;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>One counter of a layer, which <c>TLayer</c> holds the numbers of.</summary>
/// <param name="Name">As the kernel's file has it, or <c>ip -s link</c>.</param>
/// <param name="Set">Puts a number into such a record.</param>
internal sealed record Counter<TLayer>(string Name, Func<TLayer, long?> Get, Counter<TLayer>.SetValue Set)
{
    internal delegate void SetValue(ref TLayer layer, long? value);

    /// <summary>Of <c>snmp</c> and <c>netstat</c>: the line that has it. IPv6 has one list of names only.</summary>
    public string Section { get; init; } = "";

    /// <summary>It is kept in 32 bits, or the sum of such numbers, so that it wraps.</summary>
    public bool IsNarrow { get; init; }

    /// <summary>The present number of something: a difference has the later reading's.</summary>
    public bool IsLevel { get; init; }

    /// <summary>Losses, errors or delays, which a check explains.</summary>
    public bool IsLoss { get; init; }

    /// <summary>Packets of the more exact rows of its direction count here too.</summary>
    public bool IncludesOthers { get; init; }

    /// <summary>Explains it: it grows with losses, and no check does.</summary>
    public string? Meaning { get; init; }

    public bool IsWatched => IsLoss || Meaning is not null;

    /// <summary>The name, in the bytes of the kernel's file.</summary>
    public byte[] Word { get; } = Encoding.ASCII.GetBytes(Name);

    public long? Growth(TLayer later, TLayer earlier) => IsLevel ? Get(later)
        : IsNarrow ? CounterDelta.Narrow(Get(later), Get(earlier))
        : CounterDelta.Wide(Get(later), Get(earlier));
}

/// <summary>
/// The kernel's counters that Spate reads, a row for each. By these rows they are read, subtracted, watched and judged;
/// the records that hold the numbers have one property for each row, in the order of the reports.
/// </summary>
internal static class CounterTable
{
    private const string Netstat = "IpExt";

    /// <summary><c>Udp</c> of <c>snmp</c>, and <c>Udp6</c> of <c>snmp6</c>.</summary>
    public static readonly Counter<UdpProtocolCounters>[] Udp =
    [
        new("InErrors", static u => u.InErrors, static (ref u, v) => u.InErrors = v)
        {
            Meaning = "All datagrams that UDP dropped for a full buffer, a lack of memory, a wrong checksum or a "
                + "socket's filter (RFC 4113, udpInErrors).",
        },
        new("RcvbufErrors", static u => u.RcvbufErrors, static (ref u, v) => u.RcvbufErrors = v) { IsLoss = true },
        new("SndbufErrors", static u => u.SndbufErrors, static (ref u, v) => u.SndbufErrors = v) { IsLoss = true },
        new("NoPorts", static u => u.NoPorts, static (ref u, v) => u.NoPorts = v) { IsLoss = true },
        new("InCsumErrors", static u => u.InCsumErrors, static (ref u, v) => u.InCsumErrors = v) { IsLoss = true },
        new("MemErrors", static u => u.MemErrors, static (ref u, v) => u.MemErrors = v) { IsLoss = true },
        new("InDatagrams", static u => u.InDatagrams, static (ref u, v) => u.InDatagrams = v),
        new("OutDatagrams", static u => u.OutDatagrams, static (ref u, v) => u.OutDatagrams = v),
    ];

    /// <summary><c>Ip</c> of <c>snmp</c> with lines of <c>netstat</c>, and <c>Ip6</c> of <c>snmp6</c>.</summary>
    public static readonly Counter<IpCounters>[] Ip =
    [
        new("InHdrErrors", static u => u.InHdrErrors, static (ref u, v) => u.InHdrErrors = v) { IsLoss = true },
        new("InAddrErrors", static u => u.InAddrErrors, static (ref u, v) => u.InAddrErrors = v) { IsLoss = true },
        new("InDiscards", static u => u.InDiscards, static (ref u, v) => u.InDiscards = v) { IsLoss = true },
        new("OutDiscards", static u => u.OutDiscards, static (ref u, v) => u.OutDiscards = v) { IsLoss = true },
        new("ReasmFails", static u => u.ReasmFails, static (ref u, v) => u.ReasmFails = v) { IsLoss = true },
        new("FragFails", static u => u.FragFails, static (ref u, v) => u.FragFails = v) { IsLoss = true },
        new("InReceives", static u => u.InReceives, static (ref u, v) => u.InReceives = v),
        new("InDelivers", static u => u.InDelivers, static (ref u, v) => u.InDelivers = v),
        new("OutRequests", static u => u.OutRequests, static (ref u, v) => u.OutRequests = v),
        // Nothing is lost where a program asks for a route that is not there, which look-ups of names do for each
        // address that they find (RFC 6724), and the probes of --target too.
        new("OutNoRoutes", static u => u.OutNoRoutes, static (ref u, v) => u.OutNoRoutes = v),
        new("InNoRoutes", static u => u.InNoRoutes, static (ref u, v) => u.InNoRoutes = v)
        { Section = Netstat, IsLoss = true },
        new("IPReversePathFilter", static u => u.ReversePathFilter, static (ref u, v) => u.ReversePathFilter = v)
        { Section = "TcpExt", IsLoss = true },
        // The sum of four, which the parser makes.
        new("InSegments", static u => u.InSegments, static (ref u, v) => u.InSegments = v) { Section = Netstat },
    ];

    /// <summary>The columns of <c>/proc/net/softnet_stat</c>.</summary>
    public static readonly Counter<SoftnetCounters>[] Softnet =
    [
        new("dropped", static u => u.Dropped, static (ref u, v) => u.Dropped = v) { IsNarrow = true, IsLoss = true },
        new("squeezed", static u => u.Squeezed, static (ref u, v) => u.Squeezed = v) { IsNarrow = true, IsLoss = true },
    ];

    /// <summary>The columns of <c>/proc/net/stat/nf_conntrack</c>, and two files of one number.</summary>
    public static readonly Counter<ConntrackCounters>[] Conntrack =
    [
        new("drop", static u => u.Drops, static (ref u, v) => u.Drops = v) { IsNarrow = true, IsLoss = true },
        new("insert_failed", static u => u.InsertFailed, static (ref u, v) => u.InsertFailed = v)
        { IsNarrow = true, IsLoss = true },
        new("early_drop", static u => u.EarlyDrops, static (ref u, v) => u.EarlyDrops = v)
        {
            IsNarrow = true,
            Meaning = "Entries that the full connection tracking table evicted for others; no packet "
                + "is lost by that (nf_conntrack).",
        },
        new("count", static u => u.Count, static (ref u, v) => u.Count = v) { IsLevel = true },
        new("max", static u => u.Max, static (ref u, v) => u.Max = v) { IsLevel = true },
    ];

    /// <summary>Of IFLA_STATS64, which the names are the same of for all drivers.</summary>
    public static readonly Counter<InterfaceCounters>[] Interface =
    [
        new("rx_missed_errors", static u => u.RxMissedErrors, static (ref u, v) => u.RxMissedErrors = v)
        { IsLoss = true },
        new("rx_fifo_errors", static u => u.RxFifoErrors, static (ref u, v) => u.RxFifoErrors = v) { IsLoss = true },
        new("rx_errors", static u => u.RxErrors, static (ref u, v) => u.RxErrors = v)
        { IsLoss = true, IncludesOthers = true },
        new("tx_errors", static u => u.TxErrors, static (ref u, v) => u.TxErrors = v)
        { IsLoss = true, IncludesOthers = true },
        new("tx_dropped", static u => u.TxDropped, static (ref u, v) => u.TxDropped = v)
        { IsLoss = true, IncludesOthers = true },
        new("tx_fifo_errors", static u => u.TxFifoErrors, static (ref u, v) => u.TxFifoErrors = v) { IsLoss = true },
        new("tx_carrier_errors", static u => u.TxCarrierErrors, static (ref u, v) => u.TxCarrierErrors = v)
        { IsLoss = true },
        new("rx_dropped", static u => u.RxDropped, static (ref u, v) => u.RxDropped = v)
        {
            IncludesOthers = true,
            Meaning = "Received packets that the driver or the stack dropped: without a protocol handler, by a "
                + "filter, or because a CPU's backlog queue was full (ip -s link).",
        },
        new("rx_nohandler", static u => u.RxNoHandler, static (ref u, v) => u.RxNoHandler = v)
        {
            Meaning = "Packets that arrived on an inactive interface, such as the passive one of a bond "
                + "(ip -s -s link).",
        },
        new("rx_packets", static u => u.RxPackets, static (ref u, v) => u.RxPackets = v),
        new("rx_bytes", static u => u.RxBytes, static (ref u, v) => u.RxBytes = v),
        new("tx_packets", static u => u.TxPackets, static (ref u, v) => u.TxPackets = v),
        new("tx_bytes", static u => u.TxBytes, static (ref u, v) => u.TxBytes = v),
    ];

    /// <summary>Of TCA_STATS2, as <c>tc -s qdisc</c> names them.</summary>
    public static readonly Counter<QueueCounters>[] Queue =
    [
        new("dropped", static u => u.Drops, static (ref u, v) => u.Drops = v) { IsNarrow = true, IsLoss = true },
        new("pkt", static u => u.Packets, static (ref u, v) => u.Packets = v) { IsNarrow = true },
        new("overlimits", static u => u.Overlimits, static (ref u, v) => u.Overlimits = v) { IsNarrow = true },
        new("requeues", static u => u.Requeues, static (ref u, v) => u.Requeues = v) { IsNarrow = true },
        new("qlen", static u => u.Qlen, static (ref u, v) => u.Qlen = v) { IsLevel = true },
        new("backlog", static u => u.BacklogBytes, static (ref u, v) => u.BacklogBytes = v) { IsLevel = true },
    ];

    /// <summary>The growth of every counter, in a copy of the later reading; null where unknown.</summary>
    public static TLayer Subtract<TLayer>(this Counter<TLayer>[] rows, TLayer later, TLayer earlier, TLayer difference)
    {
        foreach (Counter<TLayer> row in rows) row.Set(ref difference, row.Growth(later, earlier));
        return difference;
    }
}

/// <summary>A counter of IP or UDP by the name that nstat(8) gives it.</summary>
internal sealed record ProtocolCounter(
    string Place, string Name, Func<NetworkCounters, long?> Get, bool IsWatched, string? Meaning)
{
    /// <summary>All of UDP and IP, from the sockets down.</summary>
    public static readonly ProtocolCounter[] All =
    [
        .. CounterTable.Udp.Select(static row => Of("UDP", "Udp", row, static all => all.Udp4)),
        .. CounterTable.Udp.Select(static row => Of("UDP", "Udp6", row, static all => all.Udp6)),
        .. CounterTable.Ip.Where(static row => row.Section.Length == 0)
            .Select(static row => Of("IP", "Ip", row, static all => all.Ip4)),
        .. CounterTable.Ip.Where(static row => row.Section.Length == 0)
            .Select(static row => Of("IP", "Ip6", row, static all => all.Ip6)),
        .. CounterTable.Ip.Where(static row => row.Section.Length > 0).SelectMany(static row => (ProtocolCounter[])
        [
            Of("IP", row.Section, row, static all => all.Ip4), Of("IP", "Ip6", row, static all => all.Ip6),
        ]),
    ];

    public static ProtocolCounter Find(string name) =>
        Array.Find(All, one => string.Equals(one.Name, name, StringComparison.Ordinal))
        ?? throw new ArgumentException($"no counter has the name {name}", nameof(name));

    private static ProtocolCounter Of<TLayer>(
        string place, string prefix, Counter<TLayer> row, Func<NetworkCounters, TLayer> layer) =>
        new(place, prefix + row.Name, all => row.Get(layer(all)), row.IsWatched, row.Meaning);
}
