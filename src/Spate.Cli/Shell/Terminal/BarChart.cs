using System.Text;
using Spate.Measurement.Reports;

namespace Spate.Cli.Shell.Terminal;

/// <summary>A bar of a chart.</summary>
/// <param name="Value">The value that the bar shows, not negative.</param>
internal readonly record struct Bar(string Name, double Value, string Label);

/// <summary>Bars in proportion to the largest value.</summary>
internal static class BarChart
{
    private const int MaxBarWidth = 60;
    private const int GapWidth = 2;

    // Foreground colours of Select Graphic Rendition (ECMA-48): green, blue, yellow, cyan, magenta.
    private static readonly int[] Colors = [32, 34, 33, 36, 35];

    /// <param name="width">The number of characters that fit a line; null for any number.</param>
    public static IEnumerable<string> Lines(IReadOnlyList<Bar> bars, int? width, bool isTerminal, bool hasColors)
    {
        if (bars.Count == 0) yield break;

        int maxWidth = width ?? int.MaxValue;
        string[] names = [.. bars.Select(static bar => PrintableText.ForTerminal(bar.Name))];
        int nameWidth = names.Max(static name => name.Length);
        int labelWidth = bars.Max(static bar => bar.Label.Length);
        int barWidth = Math.Clamp(maxWidth - nameWidth - GapWidth - 1 - labelWidth, 0, MaxBarWidth);
        double largest = Math.Max(bars.Max(static bar => bar.Value), double.Epsilon);
        for (int i = 0; i < bars.Count; i++)
        {
            int length = (int)Math.Round(bars[i].Value / largest * barWidth);
            var bar = new string(isTerminal ? '█' : '#', length);
            string colored = hasColors ? $"\u001b[{Colors[i % Colors.Length]}m{bar}\u001b[0m" : bar;
            string start = names[i].PadRight(nameWidth + GapWidth);
            string end = length > 0 ? " " + bars[i].Label : bars[i].Label;
            IEnumerable<string> lines = start.Length + length + end.Length <= maxWidth
                ? [start + colored + end]
                : TextLines.Wrap($"{names[i]}: {bars[i].Label}", maxWidth);
            foreach (string line in lines)
            {
                yield return line;
            }
        }
    }
}
