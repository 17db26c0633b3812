namespace Spate.Diagnostics;

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

    /// <summary>The attributes other than the name, each with its possible values.</summary>
    public IReadOnlyList<(string Key, string[] Values)> Attributes =>
    [
        .. Figures.SelectMany(figure => figure.Tags)
            .GroupBy(tag => tag.Key, tag => (string)tag.Value!, StringComparer.Ordinal)
            .Select(group => (group.Key, group.Distinct(StringComparer.Ordinal).ToArray())),
    ];
}
