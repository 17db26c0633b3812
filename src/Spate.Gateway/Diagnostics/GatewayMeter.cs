using System.Diagnostics.Metrics;

namespace Spate.Gateway.Diagnostics;

/// <summary>
/// The meter "Spate.Gateway" over all gateways of the process, summed by name. Nothing is done until somebody collects.
/// Totals of gateways that have stopped stay.
/// </summary>
internal static class GatewayMeter
{
    /// <summary>Gateways of further names count among those without a name, so that names cannot fill memory.</summary>
    private const int MaxNameCount = 1000;

    private static readonly Meter Meter =
        new("Spate.Gateway", typeof(GatewayMeter).Assembly.GetName().Version?.ToString(3));

    private static readonly Lock Lock = new();
    private static readonly Dictionary<object, (string Name, Func<GatewayStatistics> Read)> Open = [];
    private static readonly Dictionary<string, Dictionary<GatewayMeterFigure, long>> Closed =
        new(StringComparer.Ordinal);

    static GatewayMeter()
    {
        foreach (GatewayMeterRow row in GatewayMeterTable.Rows)
        {
            if (row.GoesDown) Meter.CreateObservableUpDownCounter(row.Name, () => Read(row), row.Unit, row.Meaning);
            else Meter.CreateObservableCounter(row.Name, () => Read(row), row.Unit, row.Meaning);
        }
    }

    /// <summary>From now on the gateway counts.</summary>
    /// <param name="gateway">The gateway, by which <see cref="Remove"/> finds it.</param>
    /// <param name="name">Its name; null for none.</param>
    /// <param name="read">Reads its statistics.</param>
    public static void Add(object gateway, string? name, Func<GatewayStatistics> read)
    {
        lock (Lock)
        {
            string counted = name ?? "";
            if (!Closed.ContainsKey(counted) && Closed.Count >= MaxNameCount) counted = "";
            Closed.TryAdd(counted, []);
            Open.Add(gateway, (counted, read));
        }
    }

    /// <summary>Called when the gateway has stopped; further calls do nothing.</summary>
    public static void Remove(object gateway)
    {
        lock (Lock)
        {
            if (!Open.Remove(gateway, out (string Name, Func<GatewayStatistics> Read) entry)) return;
            GatewayStatistics statistics = entry.Read();
            Dictionary<GatewayMeterFigure, long> sums = Closed[entry.Name];
            foreach (GatewayMeterRow row in GatewayMeterTable.Rows)
            {
                if (row.GoesDown) continue;
                foreach (GatewayMeterFigure figure in row.Figures)
                    sums[figure] = sums.GetValueOrDefault(figure) + figure.Read(statistics);
            }
        }
    }

    private static List<Measurement<long>> Read(GatewayMeterRow row)
    {
        lock (Lock)
        {
            Dictionary<string, long[]> sums = new(StringComparer.Ordinal);
            foreach ((string name, Dictionary<GatewayMeterFigure, long> closed) in Closed)
            {
                sums[name] = Array.ConvertAll(row.Figures, figure => closed.GetValueOrDefault(figure));
            }

            foreach ((string name, Func<GatewayStatistics> read) in Open.Values)
            {
                GatewayStatistics statistics = read();
                long[] sum = sums[name];
                for (int i = 0; i < sum.Length; i++) sum[i] += row.Figures[i].Read(statistics);
            }

            List<Measurement<long>> found = [];
            foreach ((string name, long[] sum) in sums)
            {
                for (int i = 0; i < sum.Length; i++)
                    found.Add(new(sum[i], GatewayMeterTable.TagsOf(row.Figures[i], name)));
            }

            return found;
        }
    }
}

/// <summary>
/// All instruments of the meter "Spate.Gateway". The meter is made of this table, and docs/gateway/operations.md is
/// compared with it. Names follow the rules of docs/decisions/0004-names-of-metrics.md.
/// </summary>
internal static class GatewayMeterTable
{
    private const string NameKey = "spate.name";
    private const string ReasonKey = "spate.drop.reason";
    private const string PlaceKey = "spate.gateway.pending.place";
    private const string EventKey = "spate.gateway.message.event";

    public static readonly GatewayMeterRow[] Rows =
    [
        new("spate.gateway.accepted.count", "{datagram}", "Datagrams read from the sockets.",
            [new(statistics => statistics.Accepted)]),
        new("spate.gateway.committed.count", "{datagram}", "Datagrams that the broker has confirmed.",
            [new(statistics => statistics.Committed)]),
        new("spate.gateway.drop.count", "{datagram}", "Datagrams that were accepted and dropped, by the reason.",
        [
            Figure(statistics => statistics.DroppedWindowFull, ReasonKey, "window_full"),
            Figure(statistics => statistics.DroppedRefused, ReasonKey, "refused"),
            Figure(statistics => statistics.DroppedOversized, ReasonKey, "oversized"),
            Figure(statistics => statistics.DroppedShutdown, ReasonKey, "shutdown"),
            Figure(statistics => statistics.NotAllowed, ReasonKey, "not_allowed"),
        ]),
        new("spate.gateway.pending.count", "{datagram}", "Datagrams that are accepted and not yet settled.",
        [
            Figure(statistics => statistics.InFlight, PlaceKey, "in_flight"),
            Figure(statistics => statistics.InDoubt, PlaceKey, "in_doubt"),
        ]) { GoesDown = true },
        new("spate.gateway.difference.count", "{datagram}",
            "Datagrams missing in the account: always 0, otherwise the gateway has a defect.",
            [new(statistics => statistics.Difference)]) { GoesDown = true },
        new("spate.gateway.message.count", "{message}", "Messages to the broker, accounting messages included.",
        [
            Figure(statistics => Sum(statistics, pipeline => pipeline.MessagesPublished), EventKey, "published"),
            Figure(
                statistics => Sum(statistics, pipeline => pipeline.MessagesPublishedAgain),
                EventKey,
                "published_again"),
            Figure(statistics => Sum(statistics, pipeline => pipeline.MessagesConfirmed), EventKey, "confirmed"),
        ]),
        new("spate.gateway.connection.lost", "{connection}", "Connections that were lost.",
            [new(statistics => Sum(statistics, pipeline => pipeline.ConnectionsLost))]),
        new("spate.gateway.memory.usage", "By", "The buffers of messages that are in use.",
            [new(statistics => Sum(statistics, pipeline => pipeline.PackBytesUsed))]) { GoesDown = true },
    ];

    /// <summary>The attributes of a figure for the gateways of one name, empty for none.</summary>
    public static KeyValuePair<string, object?>[] TagsOf(GatewayMeterFigure figure, string name) =>
        name.Length == 0 ? figure.Tags : [.. figure.Tags, new(NameKey, name)];

    private static GatewayMeterFigure Figure(Func<GatewayStatistics, long> read, string key, string value) =>
        new(read, new KeyValuePair<string, object?>(key, value));

    private static long Sum(GatewayStatistics statistics, Func<GatewayPipelineStatistics, long> of) =>
        statistics.Pipelines.Sum(of);
}

/// <summary>One figure of an instrument, with the attributes that tell it from the instrument's others.</summary>
internal sealed class GatewayMeterFigure(
    Func<GatewayStatistics, long> read, params KeyValuePair<string, object?>[] tags)
{
    public Func<GatewayStatistics, long> Read => read;

    public KeyValuePair<string, object?>[] Tags => tags;
}

/// <summary>One instrument of the meter: what it is called, and the figures that it shows for each name.</summary>
internal sealed record GatewayMeterRow(string Name, string Unit, string Meaning, GatewayMeterFigure[] Figures)
{
    /// <summary>Whether the value may fall: it is a number of things that are there now.</summary>
    public bool GoesDown { get; init; }
}
