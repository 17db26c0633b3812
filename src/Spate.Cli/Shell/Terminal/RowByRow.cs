namespace Spate.Cli.Shell.Terminal;

/// <summary>Writes a table row by row. Columns need a <see cref="Column.MinWidth"/>, so they do not move.</summary>
internal sealed class RowByRow<TRow>(Table<TRow> table, TerminalWriter writer)
{
    // The columns left out of the headers above. A terminal that changes its width may need other headers.
    private string? _leftOut;
    private bool _hasHeader;

    public void Add(TRow row)
    {
        FittedTable fitted = table.Fit([row], writer.Width);
        bool isBlock = fitted.HeaderLines.Count == 0;
        if (!isBlock && (!_hasHeader || !string.Equals(fitted.LeftOutLine, _leftOut, StringComparison.Ordinal)))
        {
            writer.LeftOut(fitted);
            writer.Headers(fitted);
        }

        (_hasHeader, _leftOut) = (!isBlock, fitted.LeftOutLine);
        writer.Rows(fitted);
    }
}
