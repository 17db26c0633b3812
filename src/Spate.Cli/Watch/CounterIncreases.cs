using System.Collections.ObjectModel;
using System.Globalization;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Checks.Cards;
using Spate.HostTuning.Counters;

namespace Spate.Cli.Watch;

/// <summary>Finds the counters of losses, errors and delays that grew: pure.</summary>
internal static class CounterIncreases
{
    // A host may have thousands of virtual interfaces, and a driver thousands of counters.
    private const int MaxCounters = 256;

    private const string InErrorsMeaning = "All datagrams that UDP dropped for a full buffer, a lack of memory, a "
        + "wrong checksum or a socket's filter (RFC 4113, udpInErrors).";

    private const string RxDroppedMeaning = "Packets that came in and were dropped by the driver or above it: no "
        + "protocol wanted them, a filter took them, or a CPU's backlog queue was full (ip -s link).";

    private const string NoHandlerMeaning =
        "Packets that came in by an interface that is not in use, such as the passive one of a bond (ip -s -s link).";

    private const string EarlyDropMeaning = "Entries that were thrown out of the full table of connections to make "
        + "room for others; nothing is lost by that (nf_conntrack).";

    /// <summary>The counters that grew, from the sockets down to the cards.</summary>
    public static IReadOnlyList<WatchCounter> Of(HostReadings host)
    {
        NetworkCounters growth = host.Growth;
        IEnumerable<WatchCounter?> all =
        [
            .. OfUdp("Udp", growth.Udp4),
            .. OfUdp("Udp6", growth.Udp6),
            .. OfIp("Ip", growth.Ip4),
            .. OfIp("Ip6", growth.Ip6),
            One("IP", "IpExtInNoRoutes", growth.Ip4.InNoRoutes),
            One("IP", "Ip6InNoRoutes", growth.Ip6.InNoRoutes),
            One("IP", "TcpExtIPReversePathFilter", growth.Ip4.ReversePathFilter),
            One("conntrack", "drop", growth.Conntrack?.Drops),
            One("conntrack", "insert_failed", growth.Conntrack?.InsertFailed),
            One("conntrack", "early_drop", growth.Conntrack?.EarlyDrops, EarlyDropMeaning),
            .. host.FirewallGrowth.Select(static one => One("firewall", one.Place, one.Packets)),
            .. OfCpus(growth),
            .. growth.Interfaces.SelectMany(one => OfInterface(host, one)),
            .. growth.Queues.Where(static one => one.IsRoot)
                .Select(static one => One(one.Interface, $"qdisc {one.Kind} dropped", one.Drops)),
        ];
        return [.. all.OfType<WatchCounter>().Take(MaxCounters)];
    }

    private static WatchCounter? One(string place, string name, long? growth, string? meaning = null) =>
        growth > 0 ? new WatchCounter(place, name, growth.Value, PerSecond: 0, meaning) : null;

    private static IEnumerable<WatchCounter?> OfUdp(string prefix, UdpProtocolCounters growth) =>
    [
        One("UDP", prefix + "InErrors", growth.InErrors, InErrorsMeaning),
        One("UDP", prefix + "RcvbufErrors", growth.RcvbufErrors),
        One("UDP", prefix + "SndbufErrors", growth.SndbufErrors),
        One("UDP", prefix + "NoPorts", growth.NoPorts),
        One("UDP", prefix + "InCsumErrors", growth.InCsumErrors),
        One("UDP", prefix + "MemErrors", growth.MemErrors),
    ];

    private static IEnumerable<WatchCounter?> OfIp(string prefix, IpCounters growth) =>
    [
        One("IP", prefix + "InHdrErrors", growth.InHdrErrors),
        One("IP", prefix + "InAddrErrors", growth.InAddrErrors),
        One("IP", prefix + "InDiscards", growth.InDiscards),
        One("IP", prefix + "OutDiscards", growth.OutDiscards),
        One("IP", prefix + "ReasmFails", growth.ReasmFails),
        One("IP", prefix + "FragFails", growth.FragFails),
    ];

    // A kernel whose rows do not name their CPU tells the sum of all.
    private static IEnumerable<WatchCounter?> OfCpus(NetworkCounters growth) => growth.SoftnetCpus.Count == 0
        ? OfCpu("CPUs", growth.Softnet)
        : growth.SoftnetCpus.OrderBy(static one => one.Key).SelectMany(static one =>
            OfCpu(string.Create(CultureInfo.InvariantCulture, $"CPU {one.Key}"), one.Value));

    private static IEnumerable<WatchCounter?> OfCpu(string place, SoftnetCounters growth) =>
    [
        One(place, "softnet dropped", growth.Dropped),
        One(place, "softnet squeezed", growth.Squeezed),
    ];

    private static IEnumerable<WatchCounter?> OfInterface(HostReadings host, InterfaceCounters growth)
    {
        HostInterface? one = host.Interfaces
            .FirstOrDefault(known => string.Equals(known.ShownName, growth.Name, StringComparison.Ordinal));
        IEnumerable<(string Name, long Count)> losses = one is null
            ? CardLosses.OfSystem(growth)
            : CardLosses.Of(host, one);
        return
        [
            .. (one?.CardGrowth ?? ReadOnlyDictionary<string, ulong>.Empty)
                .Where(static count => count.Key.EndsWith(AllowanceCheck.Ending, StringComparison.Ordinal))
                .Select(count => One(
                    growth.Name, CheckText.Name(count.Key), (long)Math.Min(count.Value, long.MaxValue))),
            .. losses.Select(loss => One(growth.Name, CheckText.Name(loss.Name), loss.Count)),
            One(growth.Name, "rx_dropped", growth.RxDropped, RxDroppedMeaning),
            One(growth.Name, "rx_nohandler", growth.RxNoHandler, NoHandlerMeaning),
        ];
    }
}
