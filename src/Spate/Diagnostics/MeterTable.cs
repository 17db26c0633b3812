namespace Spate.Diagnostics;

/// <summary>
/// All instruments of the meter "Spate". The meter is built from this table, and a test compares docs/build/metrics.md
/// with the table. Names, units and attributes follow OpenTelemetry's conventions
/// (docs/decisions/0004-names-of-metrics.md).
/// </summary>
internal static class MeterTable
{
    public const string NameKey = "spate.name";

    private const string DirectionKey = "network.io.direction";
    private const string PlaceKey = "spate.drop.place";
    private const string UnitKey = "spate.drop.unit";
    private const string LimitKey = "spate.session.limit";

    public static readonly MeterRow[] Rows =
    [
        new("spate.datagram.count", "{datagram}",
            "Datagrams handed to the application, and datagrams that the system accepted for sending.",
        [
            Socket(counters => counters.DatagramsReceived, Direction("receive")),
            Socket(counters => counters.DatagramsSent, Direction("transmit")),
        ]),
        new("spate.datagram.io", "By", "The payload of these datagrams, without headers.",
        [
            Socket(counters => counters.BytesReceived, Direction("receive")),
            Socket(counters => counters.BytesSent, Direction("transmit")),
        ]),
        new("spate.datagram.refused", "{datagram}", "Datagrams that the system refused to send.",
            [Socket(counters => counters.DatagramsRefused)]),
        new("spate.datagram.truncated", "{datagram}", "Received datagrams that were longer than their buffer.",
            [Socket(counters => counters.DatagramsTruncated)]),
        new("spate.drop.count", "{drop}", "Datagrams known to be lost, by place.",
        [
            Socket(counters => KernelDrops(counters, UdpDropUnit.Datagrams), Drop("kernel_socket", "datagram")),
            Socket(
                counters => KernelDrops(counters, UdpDropUnit.CoalescedBuffers),
                Drop("kernel_socket", "coalesced_buffer")),
            Socket(counters => counters.DatagramsUnread, Drop("socket_close", "datagram")),
            Server(ServerMetric.FaultedDrops, Drop("handler", "datagram")),
            Server(ServerMetric.FullChannelDrops, Drop("channel_full", "datagram")),
            Server(ServerMetric.UnreadChannelDrops, Drop("channel_unread", "datagram")),
            Server(ServerMetric.ReplyDrops, Drop("reply", "datagram")),
            Server(ServerMetric.StopDrops, Drop("server_stop", "datagram")),
        ]) { AsksSystem = true },
        new("spate.icmp_error.count", "{error}", "ICMP errors that were reported to sockets.",
            [Socket(counters => counters.IcmpErrors)]),
        new("spate.gso_fallback.count", "{fallback}", "GSO fallbacks: GSO messages that a route refused.",
            [Socket(counters => counters.GsoFallbacks)]),
        new("spate.socket.count", "{socket}", "Open sockets.", [Socket(_ => 1)]) { GoesDown = true },
        new("spate.server.thread.count", "{thread}", "Threads of servers that run handlers.",
            [Server(ServerMetric.Threads)])
        {
            GoesDown = true,
        },
        new("spate.handler.datagram.count", "{datagram}", "Datagrams given to the handlers of servers.",
            [Server(ServerMetric.Handled)]),
        new("spate.handler.fault.count", "{fault}", "Exceptions that handlers threw.", [Server(ServerMetric.Faults)]),
        new("spate.session.count", "{session}", "Sessions in the tables that shards have made.",
            [Server(ServerMetric.Sessions)])
        {
            GoesDown = true,
        },
        new("spate.session.refused", "{session}", "New sessions that a limit of their table refused.",
        [
            Server(ServerMetric.RefusedFull, Limit("full")),
            Server(ServerMetric.RefusedByPrefix, Limit("prefix")),
            Server(ServerMetric.RefusedByRate, Limit("rate")),
        ]),
    ];

    private static MeterFigure Socket(
        Func<UdpCounters, long> figure, params KeyValuePair<string, object?>[] tags) =>
        new(tags) { OfSocket = figure };

    private static MeterFigure Server(ServerMetric figure, params KeyValuePair<string, object?>[] tags) =>
        new(tags) { OfServer = figure };

    private static KeyValuePair<string, object?>[] Direction(string value) => [new(DirectionKey, value)];

    private static KeyValuePair<string, object?>[] Limit(string value) => [new(LimitKey, value)];

    private static KeyValuePair<string, object?>[] Drop(string place, string unit) =>
        [new(PlaceKey, place), new(UnitKey, unit)];

    private static long KernelDrops(in UdpCounters counters, UdpDropUnit unit) =>
        counters.KernelDropUnit == unit ? counters.KernelDrops ?? 0 : 0;
}

/// <summary>
/// One instrument of the meter: its name, unit and meaning, and its figures for each socket or server name.
/// </summary>
internal sealed record MeterRow(string Name, string Unit, string Meaning, MeterFigure[] Figures)
{
    /// <summary>Whether the value can also fall, because it is the number of things that exist now.</summary>
    public bool GoesDown { get; init; }

    /// <summary>
    /// Whether the instrument has figures that only the system knows. Reading them costs one system call per socket.
    /// </summary>
    public bool AsksSystem { get; init; }
}

/// <summary>
/// One figure of an instrument, with the attributes that distinguish the figure from the instrument's other figures.
/// </summary>
internal sealed class MeterFigure(params KeyValuePair<string, object?>[] tags)
{
    public IReadOnlyList<KeyValuePair<string, object?>> Tags => tags;

    /// <summary>Reads the figure from the counters of a socket; null if sockets do not have this figure.</summary>
    public Func<UdpCounters, long>? OfSocket { get; init; }

    /// <summary>The server's total that this figure reports; null if servers do not have this figure.</summary>
    public ServerMetric? OfServer { get; init; }

    /// <summary>The attributes of the figure for one name. A null name adds no attribute.</summary>
    public KeyValuePair<string, object?>[] TagsOf(string? name) =>
        name is null ? tags : [.. tags, new(MeterTable.NameKey, name)];
}

/// <summary>
/// The totals that a server reports to the meter; each value is an index into a server's array of totals.
/// </summary>
internal enum ServerMetric
{
    Threads,
    Handled,
    Faults,
    Sessions,
    FaultedDrops,
    FullChannelDrops,
    UnreadChannelDrops,
    ReplyDrops,
    StopDrops,
    RefusedFull,
    RefusedByPrefix,
    RefusedByRate,
}
