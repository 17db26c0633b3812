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

    /// <summary>Explains it: it grows with losses, and no check does.</summary>
    public string? Meaning { get; init; }

    public bool IsWatched => IsLoss || Meaning is not null;

    /// <summary>The name, in the bytes of the kernel's file.</summary>
    public byte[] Word { get; } = Encoding.ASCII.GetBytes(Name);

    public long? Growth(TLayer later, TLayer earlier) => IsLevel ? Get(later)
        : IsNarrow ? CounterDelta.Narrow(Get(later), Get(earlier))
        : CounterDelta.Wide(Get(later), Get(earlier));
}

/// <summary>A counter of IP or UDP by the name that nstat(8) gives it.</summary>
internal sealed record ProtocolCounter(
    string Place, string Name, Func<NetworkCounters, long?> Get, bool IsWatched, string? Meaning);

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
        new("InErrors", static one => one.InErrors, static (ref one, value) => one.InErrors = value)
        {
            Meaning = "All datagrams that UDP dropped for a full buffer, a lack of memory, a wrong checksum or a "
                + "socket's filter (RFC 4113, udpInErrors).",
        },
        new("RcvbufErrors", static one => one.RcvbufErrors, static (ref one, value) => one.RcvbufErrors = value)
        { IsLoss = true },
        new("SndbufErrors", static one => one.SndbufErrors, static (ref one, value) => one.SndbufErrors = value)
        { IsLoss = true },
        new("NoPorts", static one => one.NoPorts, static (ref one, value) => one.NoPorts = value) { IsLoss = true },
        new("InCsumErrors", static one => one.InCsumErrors, static (ref one, value) => one.InCsumErrors = value)
        { IsLoss = true },
        new("MemErrors", static one => one.MemErrors, static (ref one, value) => one.MemErrors = value)
        { IsLoss = true },
        new("InDatagrams", static one => one.InDatagrams, static (ref one, value) => one.InDatagrams = value),
        new("OutDatagrams", static one => one.OutDatagrams, static (ref one, value) => one.OutDatagrams = value),
    ];

    /// <summary><c>Ip</c> of <c>snmp</c> with lines of <c>netstat</c>, and <c>Ip6</c> of <c>snmp6</c>.</summary>
    public static readonly Counter<IpCounters>[] Ip =
    [
        new("InHdrErrors", static one => one.InHdrErrors, static (ref one, value) => one.InHdrErrors = value)
        { IsLoss = true },
        new("InAddrErrors", static one => one.InAddrErrors, static (ref one, value) => one.InAddrErrors = value)
        { IsLoss = true },
        new("InDiscards", static one => one.InDiscards, static (ref one, value) => one.InDiscards = value)
        { IsLoss = true },
        new("OutDiscards", static one => one.OutDiscards, static (ref one, value) => one.OutDiscards = value)
        { IsLoss = true },
        new("ReasmFails", static one => one.ReasmFails, static (ref one, value) => one.ReasmFails = value)
        { IsLoss = true },
        new("FragFails", static one => one.FragFails, static (ref one, value) => one.FragFails = value)
        { IsLoss = true },
        new("InReceives", static one => one.InReceives, static (ref one, value) => one.InReceives = value),
        new("InDelivers", static one => one.InDelivers, static (ref one, value) => one.InDelivers = value),
        new("OutRequests", static one => one.OutRequests, static (ref one, value) => one.OutRequests = value),
        // Nothing is lost where a program asks for a route that is not there, which look-ups of names do for each
        // address that they find (RFC 6724), and the probes of --target too.
        new("OutNoRoutes", static one => one.OutNoRoutes, static (ref one, value) => one.OutNoRoutes = value),
        new("InNoRoutes", static one => one.InNoRoutes, static (ref one, value) => one.InNoRoutes = value)
        { Section = Netstat, IsLoss = true },
        new(
            "IPReversePathFilter",
            static one => one.ReversePathFilter,
            static (ref one, value) => one.ReversePathFilter = value)
        { Section = "TcpExt", IsLoss = true },
        // The sum of four, which the parser makes.
        new("InSegments", static one => one.InSegments, static (ref one, value) => one.InSegments = value)
        { Section = Netstat },
    ];

    /// <summary>The columns of <c>/proc/net/softnet_stat</c>.</summary>
    public static readonly Counter<SoftnetCounters>[] Softnet =
    [
        new("dropped", static one => one.Dropped, static (ref one, value) => one.Dropped = value)
        { IsNarrow = true, IsLoss = true },
        new("squeezed", static one => one.Squeezed, static (ref one, value) => one.Squeezed = value)
        { IsNarrow = true, IsLoss = true },
    ];

    /// <summary>The columns of <c>/proc/net/stat/nf_conntrack</c>, and two files of one number.</summary>
    public static readonly Counter<ConntrackCounters>[] Conntrack =
    [
        new("drop", static one => one.Drops, static (ref one, value) => one.Drops = value)
        { IsNarrow = true, IsLoss = true },
        new("insert_failed", static one => one.InsertFailed, static (ref one, value) => one.InsertFailed = value)
        { IsNarrow = true, IsLoss = true },
        new("early_drop", static one => one.EarlyDrops, static (ref one, value) => one.EarlyDrops = value)
        {
            IsNarrow = true,
            Meaning = "Entries that were thrown out of the full table of connections to make room for others; nothing "
                + "is lost by that (nf_conntrack).",
        },
        new("count", static one => one.Count, static (ref one, value) => one.Count = value) { IsLevel = true },
        new("max", static one => one.Max, static (ref one, value) => one.Max = value) { IsLevel = true },
    ];

    /// <summary>Of IFLA_STATS64, which the names are the same of for all drivers.</summary>
    public static readonly Counter<InterfaceCounters>[] Interface =
    [
        new("rx_missed_errors", static one => one.RxMissedErrors, static (ref one, value) => one.RxMissedErrors = value)
        { IsLoss = true },
        new("rx_fifo_errors", static one => one.RxFifoErrors, static (ref one, value) => one.RxFifoErrors = value)
        { IsLoss = true },
        new("rx_errors", static one => one.RxErrors, static (ref one, value) => one.RxErrors = value) { IsLoss = true },
        new("tx_errors", static one => one.TxErrors, static (ref one, value) => one.TxErrors = value) { IsLoss = true },
        new("tx_dropped", static one => one.TxDropped, static (ref one, value) => one.TxDropped = value)
        { IsLoss = true },
        new("tx_fifo_errors", static one => one.TxFifoErrors, static (ref one, value) => one.TxFifoErrors = value)
        { IsLoss = true },
        new(
            "tx_carrier_errors",
            static one => one.TxCarrierErrors,
            static (ref one, value) => one.TxCarrierErrors = value)
        { IsLoss = true },
        new("rx_dropped", static one => one.RxDropped, static (ref one, value) => one.RxDropped = value)
        {
            Meaning = "Packets that came in and were dropped by the driver or above it: no protocol wanted them, a "
                + "filter took them, or a CPU's backlog queue was full (ip -s link).",
        },
        new("rx_nohandler", static one => one.RxNoHandler, static (ref one, value) => one.RxNoHandler = value)
        {
            Meaning = "Packets that came in by an interface that is not in use, such as the passive one of a bond "
                + "(ip -s -s link).",
        },
        new("rx_packets", static one => one.RxPackets, static (ref one, value) => one.RxPackets = value),
        new("rx_bytes", static one => one.RxBytes, static (ref one, value) => one.RxBytes = value),
        new("tx_packets", static one => one.TxPackets, static (ref one, value) => one.TxPackets = value),
        new("tx_bytes", static one => one.TxBytes, static (ref one, value) => one.TxBytes = value),
    ];

    /// <summary>Of TCA_STATS2, as <c>tc -s qdisc</c> names them.</summary>
    public static readonly Counter<QueueCounters>[] Queue =
    [
        new("dropped", static one => one.Drops, static (ref one, value) => one.Drops = value)
        { IsNarrow = true, IsLoss = true },
        new("pkt", static one => one.Packets, static (ref one, value) => one.Packets = value) { IsNarrow = true },
        new("overlimits", static one => one.Overlimits, static (ref one, value) => one.Overlimits = value)
        { IsNarrow = true },
        new("requeues", static one => one.Requeues, static (ref one, value) => one.Requeues = value)
        { IsNarrow = true },
        new("qlen", static one => one.Qlen, static (ref one, value) => one.Qlen = value) { IsLevel = true },
        new("backlog", static one => one.BacklogBytes, static (ref one, value) => one.BacklogBytes = value)
        { IsLevel = true },
    ];

    /// <summary>All of UDP and IP, from the sockets down.</summary>
    public static readonly ProtocolCounter[] Protocol =
    [
        .. Udp.Select(static row => Of("UDP", "Udp", row, static all => all.Udp4)),
        .. Udp.Select(static row => Of("UDP", "Udp6", row, static all => all.Udp6)),
        .. Ip.Where(static row => row.Section.Length == 0)
            .Select(static row => Of("IP", "Ip", row, static all => all.Ip4)),
        .. Ip.Where(static row => row.Section.Length == 0)
            .Select(static row => Of("IP", "Ip6", row, static all => all.Ip6)),
        .. Ip.Where(static row => row.Section.Length > 0).SelectMany(static row => (ProtocolCounter[])
        [
            Of("IP", row.Section, row, static all => all.Ip4), Of("IP", "Ip6", row, static all => all.Ip6),
        ]),
    ];

    /// <summary>The growth of every counter, in a copy of the later reading; null where unknown.</summary>
    public static TLayer Subtract<TLayer>(this Counter<TLayer>[] rows, TLayer later, TLayer earlier, TLayer difference)
    {
        foreach (Counter<TLayer> row in rows) row.Set(ref difference, row.Growth(later, earlier));
        return difference;
    }

    /// <summary>By the name that nstat(8) gives it.</summary>
    public static ProtocolCounter Find(string name) =>
        Array.Find(Protocol, one => string.Equals(one.Name, name, StringComparison.Ordinal))
        ?? throw new ArgumentException($"no counter has the name {name}", nameof(name));

    private static ProtocolCounter Of<TLayer>(
        string place, string prefix, Counter<TLayer> row, Func<NetworkCounters, TLayer> layer) =>
        new(place, prefix + row.Name, all => row.Get(layer(all)), row.IsWatched, row.Meaning);
}
