namespace Spate.Diagnostics;

/// <summary>One instrument of the meter: what it is called, and the figures that it shows for each name.</summary>
internal sealed record MeterRow(string Name, string Unit, string Meaning, MeterFigure[] Figures)
{
    /// <summary>Whether the value may fall: it is a number of things that are there now.</summary>
    public bool GoesDown { get; init; }

    /// <summary>Whether a figure is known to the system alone, which is asked once per socket then.</summary>
    public bool AsksSystem { get; init; }

    /// <summary>The attributes besides the name, each with the values that it may have.</summary>
    public IReadOnlyList<(string Key, string[] Values)> Attributes =>
    [
        .. Figures.SelectMany(figure => figure.Tags)
            .GroupBy(tag => tag.Key, tag => (string)tag.Value!, StringComparer.Ordinal)
            .Select(group => (group.Key, group.Distinct(StringComparer.Ordinal).ToArray())),
    ];
}
