namespace Spate.Cli.Terminal;

/// <summary>
/// Writes a table whose rows come one after the other, as time goes by. Its columns need a
/// <see cref="Column.MinWidth"/> to stand still.
/// </summary>
internal sealed class RowByRow<TRow>(Table<TRow> table, Page page)
{
    // Of the headers that stand above: those of other columns are written where a terminal changes its width.
    private string? _leftOut;
    private bool _hasHeader;

    public void Add(TRow row)
    {
        FittedTable fitted = table.Fit([row], page.Width);
        bool isBlock = fitted.HeaderLines.Count == 0;
        if (!isBlock && (!_hasHeader || !string.Equals(fitted.LeftOutLine, _leftOut, StringComparison.Ordinal)))
        {
            page.LeftOut(fitted);
            page.Headers(fitted);
        }

        (_hasHeader, _leftOut) = (!isBlock, fitted.LeftOutLine);
        page.Rows(fitted);
    }
}
