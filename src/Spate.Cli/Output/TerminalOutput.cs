using Spectre.Console;
using SpectreTable = Spectre.Console.Table;

namespace Spate.Cli.Output;

/// <summary>
/// Drawing for a terminal. The only file that knows Spectre.Console, so that a command that draws nothing
/// does not load it.
/// </summary>
internal static class TerminalOutput
{
    private static readonly Color[] _barColors = [Color.Green, Color.Blue, Color.Yellow, Color.Aqua, Color.Fuchsia];

    public static void Write(Table table, TextWriter output, int width)
    {
        SpectreTable drawn = new SpectreTable().Border(TableBorder.Rounded);
        foreach (Column column in table.Columns)
        {
            var header = new TableColumn(new Text(column.Header, new Style(decoration: Decoration.Bold)));
            drawn.AddColumn(column.IsNumber ? header.RightAligned() : header.LeftAligned());
        }

        foreach (string[] row in table.Rows)
        {
            // Text, not markup: a cell with square brackets (an IPv6 endpoint) is no style.
            drawn.AddRow(row.Select(static cell => new Text(cell)));
        }

        IAnsiConsole console = Open(output);
        console.Profile.Width = width;
        console.Write(drawn);
    }

    public static void WriteBars(IReadOnlyList<Bar> bars, TextWriter output)
    {
        BarChart chart = new BarChart().UseValueFormatter(value => BarChartOutput.LabelOf(bars, value));
        for (int i = 0; i < bars.Count; i++)
        {
            chart.AddItem(Markup.Escape(bars[i].Name), bars[i].Value, _barColors[i % _barColors.Length]);
        }

        Open(output).Write(chart);
    }

    private static IAnsiConsole Open(TextWriter output) =>
        AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(output), Ansi = AnsiSupport.Yes });
}
