namespace Spate.Cli.Output;

/// <param name="Header">What stands above the column.</param>
/// <param name="IsNumber">Whether its cells are aligned to the right.</param>
internal readonly record struct Column(string Header, bool IsNumber = false)
{
    /// <summary>The header's lines.</summary>
    public string[] HeaderLines => Header.Split('\n');
}

/// <summary>Rows of text under headers; how they are drawn is <see cref="TableOutput"/>'s business.</summary>
internal sealed class Table(params Column[] columns)
{
    private readonly List<string[]> _rows = [];

    public IReadOnlyList<Column> Columns { get; } = columns;

    public IReadOnlyList<string[]> Rows => _rows;

    public void Add(params string[] cells)
    {
        if (cells.Length != Columns.Count)
        {
            throw new ArgumentException($"Expected {Columns.Count} cells, not {cells.Length}.", nameof(cells));
        }

        // Cells may hold names from the system or the network: cleaned here, once, for every way of drawing.
        _rows.Add([.. cells.Select(static cell => SafeText.Clean(cell))]);
    }

    /// <summary>The table with these columns alone.</summary>
    public Table Select(IReadOnlyList<int> columns)
    {
        var selected = new Table([.. columns.Select(column => Columns[column])]);
        selected._rows.AddRange(_rows.Select(row => columns.Select(column => row[column]).ToArray()));
        return selected;
    }
}
