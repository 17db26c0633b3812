using System.Text;

namespace Spate.Cli.Output;

/// <param name="Name">What is compared.</param>
/// <param name="Value">Its value, not negative.</param>
/// <param name="Label">The value as it is written beside the bar.</param>
internal readonly record struct Bar(string Name, double Value, string Label);

/// <summary>Bars in proportion to the largest value.</summary>
internal static class BarChartOutput
{
    private const int PlainWidth = 60;

    public static void Write(IReadOnlyList<Bar> bars, Streams streams)
    {
        if (bars.Count == 0)
        {
            return;
        }

        if (streams.OutputIsTerminal)
        {
            TerminalOutput.WriteBars(bars, streams.Output);
        }
        else
        {
            WritePlain(bars, streams.Output);
        }
    }

    /// <summary>The label of a value; the chart's drawing hands the value back, not the bar.</summary>
    public static string LabelOf(IReadOnlyList<Bar> bars, double value)
    {
        foreach (Bar bar in bars)
        {
            if (bar.Value.Equals(value))
            {
                return bar.Label;
            }
        }

        return "";
    }

    private static void WritePlain(IReadOnlyList<Bar> bars, TextWriter output)
    {
        int nameWidth = bars.Max(static bar => bar.Name.Length);
        double largest = Math.Max(bars.Max(static bar => bar.Value), double.Epsilon);
        var text = new StringBuilder();
        foreach (Bar bar in bars)
        {
            int length = (int)Math.Round(bar.Value / largest * PlainWidth);
            text.Append(SafeText.Clean(bar.Name).PadRight(nameWidth)).Append("  ")
                .Append('#', length).Append(length > 0 ? " " : "").AppendLine(bar.Label);
        }

        output.Write(text.ToString());
    }
}
