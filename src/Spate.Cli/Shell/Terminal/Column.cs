namespace Spate.Cli.Shell.Terminal;

/// <summary>The alignment of the cells of a column.</summary>
internal enum Align
{
    Left,

    /// <summary>On the right, for numbers.</summary>
    Right,

    /// <summary>On the left. On a narrow terminal, a long cell continues on further lines.</summary>
    Wrapped,
}

/// <summary>A column of a table, without the rows.</summary>
/// <param name="Header">
/// The text above the column. Its line breaks are always kept. On a narrow terminal, its spaces become line breaks.
/// </param>
/// <param name="Priority">
/// 0 for a column that is always shown. Of the other columns, the one with the largest number is left out first.
/// </param>
/// <param name="MinWidth">
/// The smallest width in characters. Tables that are written row by row need one, so that their columns do not move.
/// </param>
/// <param name="HidesIfEmpty">
/// Whether the column is left out if no row has a value, however wide the terminal: for figures of one system.
/// </param>
internal record Column(string Header, Align Align, int Priority, int MinWidth = 0, bool HidesIfEmpty = false);

/// <summary>
/// A column and its cells: <c>Cell</c> returns the text for a row, which is "-" or "" where there is no value.
/// </summary>
internal sealed record Column<TRow>(
    string Header,
    Align Align,
    int Priority,
    Func<TRow, string> Cell,
    int MinWidth = 0,
    bool HidesIfEmpty = false)
    : Column(Header, Align, Priority, MinWidth, HidesIfEmpty);
