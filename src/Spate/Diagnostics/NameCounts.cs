namespace Spate.Diagnostics;

/// <summary>The final counts of all closed sockets with one name, added up per figure.</summary>
internal sealed class NameCounts(string? name)
{
    private readonly Dictionary<MeterFigure, long> _closed = [];

    /// <summary>The name; null for sockets without a name.</summary>
    public string? Name => name;

    public long ClosedOf(MeterFigure figure) => _closed.GetValueOrDefault(figure);

    public void Close(MeterFigure figure, long count) => _closed[figure] = ClosedOf(figure) + count;
}
