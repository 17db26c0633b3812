namespace Spate.Diagnostics;

/// <summary>Final counts of the closed sockets of one name, by figure.</summary>
internal sealed class NameCounts(string? name)
{
    private readonly Dictionary<MeterFigure, long> _closed = [];

    /// <summary>The name; null for sockets without one.</summary>
    public string? Name => name;

    public long ClosedOf(MeterFigure figure) => _closed.GetValueOrDefault(figure);

    public void Close(MeterFigure figure, long count) => _closed[figure] = ClosedOf(figure) + count;
}
