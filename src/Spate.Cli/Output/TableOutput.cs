using System.Text;

namespace Spate.Cli.Output;

/// <summary>Draws tables: lined and coloured on a terminal, plain aligned columns of any width elsewhere.</summary>
internal static class TableOutput
{
    private const int GapWidth = 2;

    public static void Write(Table table, Streams streams)
    {
        if (streams.OutputIsTerminal)
        {
            TerminalOutput.Write(table, streams.Output);
        }
        else
        {
            WritePlain(table, streams.Output);
        }
    }

    /// <summary>Plain columns: no escape sequence, nothing cut, the same bytes wherever they go.</summary>
    public static void WritePlain(Table table, TextWriter output, string indent = "")
    {
        int[] widths = Widths(table);
        var text = new StringBuilder();
        string[] headers = new string[widths.Length];
        for (int i = 0; i < headers.Length; i++)
        {
            headers[i] = table.Columns[i].Header;
        }

        AppendRow(text, indent, table, widths, headers);
        foreach (string[] row in table.Rows)
        {
            AppendRow(text, indent, table, widths, row);
        }

        output.Write(text.ToString());
    }

    private static int[] Widths(Table table)
    {
        int[] widths = new int[table.Columns.Count];
        for (int i = 0; i < widths.Length; i++)
        {
            widths[i] = table.Columns[i].Header.Length;
        }

        foreach (string[] row in table.Rows)
        {
            for (int i = 0; i < widths.Length; i++)
            {
                widths[i] = Math.Max(widths[i], row[i].Length);
            }
        }

        return widths;
    }

    private static void AppendRow(StringBuilder text, string indent, Table table, int[] widths, string[] cells)
    {
        int start = text.Append(indent).Length;
        for (int i = 0; i < cells.Length; i++)
        {
            string cell = table.Columns[i].IsNumber ? cells[i].PadLeft(widths[i]) : cells[i].PadRight(widths[i]);
            text.Append(cell).Append(' ', GapWidth);
        }

        while (text.Length > start && text[^1] == ' ')
        {
            text.Length--;
        }

        text.AppendLine();
    }
}
