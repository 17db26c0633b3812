namespace Spate.Cli.Terminal;

/// <summary>Where the text of a column's cells stands.</summary>
internal enum Align
{
    Left,

    /// <summary>On the right, as numbers stand.</summary>
    Right,

    /// <summary>On the left; a long cell continues on further lines where the terminal is narrow.</summary>
    Wrapped,
}

/// <summary>A column of a table, without the rows.</summary>
/// <param name="Header">
/// The text above the column. A line break in it is always kept; spaces become line breaks where the terminal is
/// narrow.
/// </param>
/// <param name="Align">Where the text of the cells stands.</param>
/// <param name="Priority">
/// 0 for a column that every table must show. Of the others, the column with the largest number leaves first.
/// </param>
/// <param name="MinWidth">
/// The smallest width in characters, for tables that are written row by row: their columns must not move.
/// </param>
internal record Column(string Header, Align Align, int Priority, int MinWidth = 0);

/// <summary>
/// A column and its cells: <c>Cell</c> returns the text for a row, which is "-" or "" where the cell says nothing.
/// </summary>
internal sealed record Column<TRow>(
    string Header, Align Align, int Priority, Func<TRow, string> Cell, int MinWidth = 0)
    : Column(Header, Align, Priority, MinWidth);
