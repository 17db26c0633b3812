namespace Spate.Diagnostics;

/// <summary>
/// One figure of an instrument, with the attributes that distinguish it from the instrument's others.
/// </summary>
internal sealed class MeterFigure(params KeyValuePair<string, object?>[] tags)
{
    public IReadOnlyList<KeyValuePair<string, object?>> Tags => tags;

    /// <summary>The figure of a socket, or null if sockets have none.</summary>
    public Func<UdpCounters, long>? OfSocket { get; init; }

    /// <summary>The figure of a server, or null if servers have none.</summary>
    public ServerMetric? OfServer { get; init; }

    /// <summary>The attributes of the figure for one name; null for none.</summary>
    public KeyValuePair<string, object?>[] TagsOf(string? name) =>
        name is null ? tags : [.. tags, new(MeterTable.NameKey, name)];
}
