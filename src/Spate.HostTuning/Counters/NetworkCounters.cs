using System.Collections.ObjectModel;
using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Counters;

/// <summary>
/// What one network namespace has counted, layer by layer. The layers overlap and count for all programs, so a loss can
/// be attributed only as far as nothing else went on. Elsewhere than on Linux all is null or empty.
/// </summary>
internal sealed record NetworkCounters
{
    public UdpProtocolCounters Udp4 { get; init; }

    /// <summary>A socket for both families counts IPv4 datagrams in <see cref="Udp4"/>.</summary>
    public UdpProtocolCounters Udp6 { get; init; }

    public IpCounters Ip4 { get; init; }

    public IpCounters Ip6 { get; init; }

    public SoftnetCounters Softnet { get; init; }

    /// <summary>By the CPU's number; empty before Linux 5.10, whose rows do not name the CPU.</summary>
    public IReadOnlyDictionary<int, SoftnetCounters> SoftnetCpus { get; init; } =
        ReadOnlyDictionary<int, SoftnetCounters>.Empty;

    /// <summary>In the system's order, or in the order that the reader was asked for.</summary>
    public IReadOnlyList<InterfaceCounters> Interfaces { get; init; } = [];

    /// <summary>Interfaces that are down have none.</summary>
    public IReadOnlyList<QueueCounters> Queues { get; init; } = [];

    public ConntrackCounters? Conntrack { get; init; }

    /// <summary>Two ends of the same name read the same counters; from empty names nothing follows.</summary>
    public string NamespaceId { get; init; } = "";

    /// <summary>CPUs, interfaces and queueing disciplines that are not in both are left out.</summary>
    public static NetworkCounters operator -(NetworkCounters later, NetworkCounters earlier)
    {
        if (!string.Equals(later.NamespaceId, earlier.NamespaceId, StringComparison.Ordinal))
        {
            throw new ArgumentException(
                $"The counters are of two namespaces, {earlier.NamespaceId} and {later.NamespaceId}: take both "
                    + "readings with one reader.",
                nameof(earlier));
        }

        return new NetworkCounters
        {
            Udp4 = later.Udp4 - earlier.Udp4,
            Udp6 = later.Udp6 - earlier.Udp6,
            Ip4 = later.Ip4 - earlier.Ip4,
            Ip6 = later.Ip6 - earlier.Ip6,
            Softnet = later.Softnet - earlier.Softnet,
            SoftnetCpus = Pairs(
                later.SoftnetCpus,
                earlier.SoftnetCpus,
                static one => one.Key,
                static (after, before) => KeyValuePair.Create(after.Key, after.Value - before.Value)).ToDictionary(),
            Interfaces = Pairs(
                later.Interfaces,
                earlier.Interfaces,
                static one => (one.Name, one.Index),
                static (after, before) => after - before),
            Queues = Pairs(
                later.Queues,
                earlier.Queues,
                static one => (one.Interface, one.Kind, one.Handle, one.Parent),
                static (after, before) => after - before),
            Conntrack = later.Conntrack is { } after && earlier.Conntrack is { } before ? after - before : null,
            NamespaceId = later.NamespaceId,
        };
    }

    private static List<T> Pairs<T, TKey>(
        IEnumerable<T> later, IEnumerable<T> earlier, Func<T, TKey> key, Func<T, T, T> subtract)
        where TKey : notnull
    {
        var before = new Dictionary<TKey, T>();
        foreach (T one in earlier) before.TryAdd(key(one), one);

        var differences = new List<T>();
        foreach (T one in later)
        {
            if (before.TryGetValue(key(one), out T? found)) differences.Add(subtract(one, found));
        }

        return differences;
    }
}

/// <summary>What one network interface has counted, as <c>ip -s -s link</c> prints it. Null where unknown.</summary>
/// <param name="Name">Bytes that are no printable ASCII, and backslashes, stand here as <c>\xNN</c>.</param>
/// <param name="Index">An interface that is made again under the same name gets another.</param>
internal sealed record InterfaceCounters(string Name, int Index)
{
    /// <summary>Drivers that coalesce count packets of the wire; virtual interfaces a GSO message as one.</summary>
    public long? RxPackets { get; set; }

    /// <summary>Without the preamble and the checksum of the link.</summary>
    public long? RxBytes { get; set; }

    /// <summary>Full backlog queues count in <see cref="SoftnetCounters.Dropped"/> too.</summary>
    public long? RxDropped { get; set; }

    public long? RxErrors { get; set; }

    /// <summary>Lack of buffers: the host did not empty the card's ring in time.</summary>
    public long? RxMissedErrors { get; set; }

    public long? RxFifoErrors { get; set; }

    /// <summary>Came in by an interface that is not to be used, such as the passive one of a bond.</summary>
    public long? RxNoHandler { get; set; }

    public long? TxPackets { get; set; }

    /// <summary>Without the preamble and the checksum of the link.</summary>
    public long? TxBytes { get; set; }

    public long? TxDropped { get; set; }

    public long? TxErrors { get; set; }

    public long? TxFifoErrors { get; set; }

    public long? TxCarrierErrors { get; set; }

    /// <summary>Null where either is unknown, or where the interface has begun anew.</summary>
    public static InterfaceCounters operator -(InterfaceCounters later, InterfaceCounters earlier) =>
        CounterTable.Interface.Subtract(later, earlier, difference: later with { });
}

/// <summary>A queueing discipline, as <c>tc -s qdisc</c> prints it: its drops include those below.</summary>
/// <param name="Handle">As <c>tc</c> writes it, for example <c>8001:</c>; <c>0:</c> for none.</param>
/// <param name="Parent">As <c>tc</c> writes it: <c>root</c>, <c>8001:1</c>, <c>ffff:fff1</c> for arrivals.</param>
internal sealed record QueueCounters(string Interface, string Kind, string Handle, string Parent)
{
    internal const string RootParent = "root";

    /// <summary>The interface sends through it, so its drops include those below it.</summary>
    public bool IsRoot => string.Equals(Parent, RootParent, StringComparison.Ordinal);

    /// <summary>Each datagram of a segmented send counts as one.</summary>
    public long? Packets { get; set; }

    /// <summary>A segmented send counts as one.</summary>
    public long? Drops { get; set; }

    public long? Overlimits { get; set; }

    public long? Requeues { get; set; }

    /// <summary>Packets that wait now. A difference has the later reading's.</summary>
    public long? Qlen { get; set; }

    /// <summary>Waiting now. A difference has the later reading's.</summary>
    public long? BacklogBytes { get; set; }

    /// <summary>Null where either is unknown, or where the discipline has begun anew.</summary>
    public static QueueCounters operator -(QueueCounters later, QueueCounters earlier) =>
        CounterTable.Queue.Subtract(later, earlier, difference: later with { });
}

/// <summary>
/// What UDP over IPv4 or IPv6 has counted in one network namespace (RFC 4113), for all sockets: <c>Udp</c> of
/// <c>/proc/net/snmp</c>, or <c>Udp6</c> of <c>snmp6</c>. Null where the system does not tell.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal record struct UdpProtocolCounters
{
    /// <summary>Those that were read. A coalesced buffer counts as one where a socket takes such buffers.</summary>
    public long? InDatagrams { get; set; }

    public long? NoPorts { get; set; }

    /// <summary>
    /// Datagrams that were dropped before a socket's queue, or in it. Includes <see cref="RcvbufErrors"/>,
    /// <see cref="MemErrors"/> and <see cref="InCsumErrors"/>, and what a socket's filter rejected.
    /// </summary>
    public long? InErrors { get; set; }

    /// <summary>A segmented send counts as one.</summary>
    public long? OutDatagrams { get; set; }

    /// <summary>A socket's receive buffer had no room. A coalesced buffer counts as one.</summary>
    public long? RcvbufErrors { get; set; }

    /// <summary>Lack of buffer memory, or dropped by the queueing discipline of the interface.</summary>
    public long? SndbufErrors { get; set; }

    public long? InCsumErrors { get; set; }

    /// <summary>All of UDP had no memory left (<c>net.ipv4.udp_mem</c>). Counted since Linux 5.11.</summary>
    public long? MemErrors { get; set; }

    public static UdpProtocolCounters operator -(UdpProtocolCounters later, UdpProtocolCounters earlier) =>
        CounterTable.Udp.Subtract(later, earlier, difference: later);
}

/// <summary>
/// What IPv4 or IPv6 has counted in one network namespace (RFC 4293), for all protocols above: <c>Ip</c> of
/// <c>/proc/net/snmp</c> with <c>netstat</c>, or <c>Ip6</c> of <c>snmp6</c>. Null where the system does not tell.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal record struct IpCounters
{
    /// <summary>A coalesced buffer counts as one; see <see cref="InSegments"/>.</summary>
    public long? InReceives { get; set; }

    /// <summary>Handed to a protocol, after the firewall. A coalesced buffer counts as one.</summary>
    public long? InDelivers { get; set; }

    public long? InHdrErrors { get; set; }

    public long? InAddrErrors { get; set; }

    /// <summary>Nothing was wrong with them: for instance, memory was short.</summary>
    public long? InDiscards { get; set; }

    public long? InNoRoutes { get; set; }

    /// <summary>A segmented send counts as one.</summary>
    public long? OutRequests { get; set; }

    public long? OutDiscards { get; set; }

    public long? OutNoRoutes { get; set; }

    public long? ReasmFails { get; set; }

    public long? FragFails { get; set; }

    /// <summary>Dropped because their source is reached by another interface (<c>rp_filter</c>); IPv4 only.</summary>
    public long? ReversePathFilter { get; set; }

    /// <summary>
    /// Ahead of the firewall, with each datagram of a coalesced buffer as one: the sum of <c>InNoECTPkts</c>,
    /// <c>InECT1Pkts</c>, <c>InECT0Pkts</c> and <c>InCEPkts</c>. Fragments count singly.
    /// </summary>
    public long? InSegments { get; set; }

    public static IpCounters operator -(IpCounters later, IpCounters earlier) =>
        CounterTable.Ip.Subtract(later, earlier, difference: later);
}

/// <summary><c>/proc/net/softnet_stat</c>, over the whole machine's online CPUs. Null where unknown.</summary>
[StructLayout(LayoutKind.Auto)]
internal record struct SoftnetCounters
{
    // The columns of softnet_seq_show in the kernel's net/core/net-procfs.c.
    private const int DroppedColumn = 1;
    private const int SqueezedColumn = 2;

    // Since Linux 5.10: rows are of the CPUs that are online, so their order does not tell.
    private const int CpuColumn = 12;

    /// <summary>A CPU's queue was full (<c>net.core.netdev_max_backlog</c>): loopback, veth, steering.</summary>
    public long? Dropped { get; set; }

    /// <summary>A CPU's budget was used up (<c>net.core.netdev_budget</c>). Nothing is lost by that.</summary>
    public long? Squeezed { get; set; }

    /// <summary>Null where either is unknown, or where a CPU went offline meanwhile.</summary>
    public static SoftnetCounters operator -(SoftnetCounters later, SoftnetCounters earlier) =>
        CounterTable.Softnet.Subtract(later, earlier, difference: later);

    internal static SoftnetCounters Parse(ReadOnlySpan<byte> text) => new()
    {
        Dropped = FileText.SumOfHexColumn(text, DroppedColumn),
        Squeezed = FileText.SumOfHexColumn(text, SqueezedColumn),
    };

    /// <summary>By the CPU's number; empty where the rows do not name it.</summary>
    internal static IReadOnlyDictionary<int, SoftnetCounters> ParseCpus(ReadOnlySpan<byte> text)
    {
        var cpus = new Dictionary<int, SoftnetCounters>();
        foreach (Range range in text.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> row = text[range];
            if (FileText.HexNumber(FileText.WordAt(row, CpuColumn)) is { } number and <= int.MaxValue)
            {
                cpus[(int)number] = Parse(row);
            }
        }

        return cpus.Count > 0 ? cpus : ReadOnlyDictionary<int, SoftnetCounters>.Empty;
    }
}

/// <summary><c>/proc/net/stat/nf_conntrack</c> of a namespace, in packets over all CPUs; null where unknown.</summary>
internal sealed record ConntrackCounters
{
    /// <summary>Could not be tracked, above all because the table was full.</summary>
    public long? Drops { get; set; }

    /// <summary>Thrown out of a full table to make room. Nothing is lost by that.</summary>
    public long? EarlyDrops { get; set; }

    /// <summary>Another packet had put in the same one; dropped unless the kernel resolves the clash.</summary>
    public long? InsertFailed { get; set; }

    /// <summary>How many the table holds now. A difference has the later reading's.</summary>
    public long? Count { get; set; }

    /// <summary><c>net.netfilter.nf_conntrack_max</c>. A difference has the later reading's.</summary>
    public long? Max { get; set; }

    public static ConntrackCounters operator -(ConntrackCounters later, ConntrackCounters earlier) =>
        CounterTable.Conntrack.Subtract(later, earlier, difference: later with { });

    /// <summary>The columns differ between kernels; null where there is no table.</summary>
    internal static ConntrackCounters? Parse(ReadOnlySpan<byte> text, long? count, long? max)
    {
        int end = text.IndexOf((byte)'\n');
        ReadOnlySpan<byte> names = end < 0 ? default : text[..end];
        ReadOnlySpan<byte> rows = text[(end + 1)..];
        if (names.IsEmpty && count is null) return null;

        var counters = new ConntrackCounters { Count = count, Max = max };
        foreach (Counter<ConntrackCounters> row in CounterTable.Conntrack.Where(static row => !row.IsLevel))
        {
            row.Set(ref counters, FileText.SumOfHexColumn(rows, FileText.IndexOfWord(names, row.Word)));
        }

        return counters;
    }
}
