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
/// <param name="Header">Its line breaks are kept. On a narrow terminal, its spaces become line breaks.</param>
/// <param name="Priority">0 if always shown. Of the others, the one with the largest is left out first.</param>
/// <param name="MinWidth">In characters. Tables written row by row need one, so that columns do not move.</param>
/// <param name="HidesIfEmpty">Whether it is left out if no row has a value: for figures of one system.</param>
internal record Column(string Header, Align Align, int Priority, int MinWidth = 0, bool HidesIfEmpty = false);

/// <summary>A column and its cells: <c>Cell</c> returns "-" or "" where a row has no value.</summary>
internal sealed record Column<TRow>(
    string Header,
    Align Align,
    int Priority,
    Func<TRow, string> Cell,
    int MinWidth = 0,
    bool HidesIfEmpty = false)
    : Column(Header, Align, Priority, MinWidth, HidesIfEmpty);
