namespace Spate.Gateway.Diagnostics;

/// <summary>
/// All instruments of the meter "Spate.Gateway". The meter is made of this table, and docs/gateway.md is compared with
/// it. Names follow the rules of docs/decisions/0004-names-of-metrics.md.
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
            "Datagrams missing in the account: always 0, anything else is a fault of the gateway.",
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
