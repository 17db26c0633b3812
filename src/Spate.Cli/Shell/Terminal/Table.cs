using Spate.Measurement.Reports;

namespace Spate.Cli.Shell.Terminal;

/// <summary>The declaration of a table: its columns, from left to right.</summary>
internal sealed class Table<TRow>(params IReadOnlyList<Column<TRow>> columns)
{
    public IReadOnlyList<Column<TRow>> Columns { get; } = columns;

    public FittedTable Fit(IEnumerable<TRow> rows, int? width) =>
        FittedTable.Of(Columns, [.. rows.Select(CellsOf)], width);

    // Cells may hold names from the system or the network. No other place needs to clean them.
    private string[] CellsOf(TRow row) =>
        [.. Columns.Select(column => PrintableText.ForTerminal(column.Cell(row), PrintableText.MaxPageLength))];
}
