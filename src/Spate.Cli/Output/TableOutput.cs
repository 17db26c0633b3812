using System.Text;

namespace Spate.Cli.Output;

/// <summary>Draws tables: lined and coloured on a terminal, plain aligned columns of any width elsewhere.</summary>
internal static class TableOutput
{
    /// <summary>Spaces between plain columns.</summary>
    public const int GapWidth = 2;

    /// <summary>
    /// Draws a table. On a terminal that is too narrow for it without the columns that say nothing, and in parts, so
    /// that no figure is cut.
    /// </summary>
    public static void Write(Table table, Streams streams)
    {
        if (!streams.OutputIsTerminal)
        {
            WritePlain(table, streams.Output);
            return;
        }

        int width = streams.ReadTerminalSize().Columns;
        if (TableFit.LinedWidthOf(table) <= width)
        {
            TerminalOutput.Write(table, streams.Output, width);
            return;
        }

        bool isFirst = true;
        foreach (Table part in TableFit.Split(TableFit.WithoutSilent(table), width - 1))
        {
            if (!isFirst)
            {
                streams.Output.WriteLine();
            }

            WritePlain(part, streams.Output, boldHeader: true);
            isFirst = false;
        }
    }

    /// <summary>Plain columns: nothing cut, the same bytes wherever they go; no escape sequence unless bold.</summary>
    public static void WritePlain(
        Table table, TextWriter output, string indent = "", int gapWidth = GapWidth, bool boldHeader = false)
    {
        int[] widths = TableFit.WidthsOf(table);
        var text = new StringBuilder();
        string[][] headers = [.. table.Columns.Select(static column => column.HeaderLines)];
        int headerLineCount = headers.Max(static lines => lines.Length);
        for (int line = 0; line < headerLineCount; line++)
        {
            // Select Graphic Rendition (ECMA-48): 1 is bold, 0 the default.
            text.Append(boldHeader ? "\u001b[1m" : "");
            AppendRow(
                text,
                indent,
                table,
                widths,
                [.. headers.Select(lines => lines.ElementAtOrDefault(line) ?? "")],
                gapWidth);
            text.Append(boldHeader ? "\u001b[0m" : "").AppendLine();
        }

        foreach (string[] row in table.Rows)
        {
            AppendRow(text, indent, table, widths, row, gapWidth);
            text.AppendLine();
        }

        output.Write(text.ToString());
    }

    private static void AppendRow(
        StringBuilder text, string indent, Table table, int[] widths, string[] cells, int gapWidth)
    {
        int start = text.Append(indent).Length;
        for (int i = 0; i < cells.Length; i++)
        {
            string cell = table.Columns[i].IsNumber ? cells[i].PadLeft(widths[i]) : cells[i].PadRight(widths[i]);
            text.Append(cell).Append(' ', gapWidth);
        }

        while (text.Length > start && text[^1] == ' ')
        {
            text.Length--;
        }
    }
}
