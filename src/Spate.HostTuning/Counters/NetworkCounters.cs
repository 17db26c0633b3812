using System.Collections.ObjectModel;

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
            SoftnetCpus = later.SoftnetCpus
                .Where(one => earlier.SoftnetCpus.ContainsKey(one.Key))
                .ToDictionary(static one => one.Key, one => one.Value - earlier.SoftnetCpus[one.Key]),
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

    public static NetworkCounters Subtract(NetworkCounters later, NetworkCounters earlier) => later - earlier;

    public override string ToString() => RecordText.Of(
        nameof(NetworkCounters),
        PrintMembers,
        (nameof(SoftnetCpus), SoftnetCpus),
        (nameof(Interfaces), Interfaces),
        (nameof(Queues), Queues));

    private static List<T> Pairs<T, TKey>(
        IReadOnlyList<T> later, IReadOnlyList<T> earlier, Func<T, TKey> key, Func<T, T, T> subtract)
        where TKey : notnull
    {
        var before = new Dictionary<TKey, T>(earlier.Count);
        foreach (T one in earlier) before.TryAdd(key(one), one);

        var differences = new List<T>(later.Count);
        foreach (T one in later)
        {
            if (before.TryGetValue(key(one), out T? found)) differences.Add(subtract(one, found));
        }

        return differences;
    }
}
