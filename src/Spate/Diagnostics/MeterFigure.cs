namespace Spate.Diagnostics;

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
