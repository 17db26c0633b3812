using System.Collections.ObjectModel;
using System.Globalization;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Counters;

namespace Spate.Cli.Watch;

/// <summary>Finds the counters of losses, errors and delays that grew: pure.</summary>
internal static class CounterIncreases
{
    // A host may have thousands of virtual interfaces, and a driver thousands of counters.
    private const int MaxCounters = 256;

    /// <summary>The counters that grew, from the sockets down to the cards.</summary>
    public static IReadOnlyList<WatchCounter> Of(HostReadings host)
    {
        NetworkCounters growth = host.Growth;
        IEnumerable<WatchCounter?> all =
        [
            .. CounterTable.Protocol.Where(static row => row.IsWatched)
                .Select(row => One(row.Place, row.Name, row.Get(growth), row.Meaning)),
            .. growth.Conntrack is { } tracked ? Of(CounterTable.Conntrack, "conntrack", "", tracked) : [],
            .. host.FirewallGrowth.Select(static one => One("firewall", one.Place, one.Packets)),
            .. OfCpus(growth),
            .. growth.Interfaces.SelectMany(one => OfInterface(host, one)),
            .. growth.Queues.Where(static one => one.IsRoot)
                .SelectMany(static one => Of(CounterTable.Queue, one.Interface, $"qdisc {one.Kind} ", one)),
        ];
        return [.. all.OfType<WatchCounter>().Take(MaxCounters)];
    }

    private static WatchCounter? One(string place, string name, long? growth, string? meaning = null) =>
        growth > 0 ? new WatchCounter(place, name, growth.Value, PerSecond: 0, meaning) : null;

    private static IEnumerable<WatchCounter?> Of<TLayer>(
        Counter<TLayer>[] rows, string place, string prefix, TLayer growth) =>
        rows.Where(static row => row.IsWatched)
            .Select(row => One(place, prefix + row.Name, row.Get(growth), row.Meaning));

    // A kernel whose rows do not name their CPU tells the sum of all.
    private static IEnumerable<WatchCounter?> OfCpus(NetworkCounters growth) => growth.SoftnetCpus.Count == 0
        ? Of(CounterTable.Softnet, "CPUs", "softnet ", growth.Softnet)
        : growth.SoftnetCpus.OrderBy(static one => one.Key).SelectMany(static one => Of(
            CounterTable.Softnet,
            string.Create(CultureInfo.InvariantCulture, $"CPU {one.Key}"),
            "softnet ",
            one.Value));

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
                .Where(static count => CardLosses.IsAllowance(count.Key))
                .Select(count => One(
                    growth.Name, CheckText.Name(count.Key), (long)Math.Min(count.Value, long.MaxValue))),
            .. losses.Select(loss => One(growth.Name, CheckText.Name(loss.Name), loss.Count)),
            .. CounterTable.Interface.Where(static row => row.Meaning is not null)
                .Select(row => One(growth.Name, row.Name, row.Get(growth), row.Meaning)),
        ];
    }
}
