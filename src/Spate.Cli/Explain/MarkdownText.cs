using System.Text.RegularExpressions;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Explain;

/// <summary>
/// Writes a page of docs/ to a terminal: paragraphs and lists fit its width, code stays as it is, and of a table each
/// row becomes a line; comments and diagrams are left out. Reads the Markdown that the pages use, not all of it.
/// </summary>
internal static partial class MarkdownText
{
    private const string Fence = "```";
    private const string Comment = "<!--";
    private const string Diagram = Fence + "mermaid";

    public static void Write(IReadOnlyList<string> lines, TerminalWriter writer)
    {
        for (int i = 0; i < lines.Count;)
        {
            if (lines[i].StartsWith(Comment, StringComparison.Ordinal)) i++;
            else if (lines[i].StartsWith(Diagram, StringComparison.Ordinal)) i = SkipDiagram(lines, i + 1, writer);
            else if (lines[i].StartsWith(Fence, StringComparison.Ordinal)) i = WriteCode(lines, i + 1, writer);
            else if (lines[i].StartsWith('|')) i = WriteTable(lines, i, writer);
            else i = WriteParagraph(lines, i, writer);
        }
    }

    /// <summary>The text without its marks: a link is its text, code and emphasis are plain.</summary>
    public static string Plain(string text) =>
        Link().Replace(text, "${shown}")
            .Replace("**", "", StringComparison.Ordinal)
            .Replace("`", "", StringComparison.Ordinal)
            .Replace("\\|", "|", StringComparison.Ordinal);

    private static int WriteCode(IReadOnlyList<string> lines, int first, TerminalWriter writer)
    {
        int i = first;
        for (; i < lines.Count && !lines[i].StartsWith(Fence, StringComparison.Ordinal); i++)
        {
            // To be pasted, so it is not broken.
            writer.Raw($"    {lines[i]}{Environment.NewLine}");
        }

        return i + 1;
    }

    private static int SkipDiagram(IReadOnlyList<string> lines, int first, TerminalWriter writer)
    {
        int i = first;
        while (i < lines.Count && !lines[i].StartsWith(Fence, StringComparison.Ordinal)) i++;
        writer.Line("(The page has a diagram here.)");
        return i + 1;
    }

    private static int WriteTable(IReadOnlyList<string> lines, int first, TerminalWriter writer)
    {
        string[] headings = CellsOf(lines[first]);
        int i = first + 2;
        for (; i < lines.Count && lines[i].StartsWith('|'); i++)
        {
            string[] cells = CellsOf(lines[i]);
            IEnumerable<string> rest = cells.Select((cell, column) => (cell, heading: headings[column])).Skip(1)
                .Where(static one => one.cell.Length > 0)
                .Select(one => headings.Length > 2 && one.heading.Length > 0 ? $"{one.heading}: {one.cell}" : one.cell);
            writer.Line($"  {cells[0]}: {string.Join("; ", rest)}");
        }

        return i;
    }

    private static int WriteParagraph(IReadOnlyList<string> lines, int first, TerminalWriter writer)
    {
        int i = first + 1;
        while (lines[first].Length > 0 && i < lines.Count && !StartsBlock(lines[i])) i++;
        string text = string.Join(' ', lines.Take(i).Skip(first).Select(static line => line.Trim()));
        char mark = lines[first].FirstOrDefault();
        writer.Line(mark switch
        {
            '#' => Plain(text.TrimStart('#', ' ')).ToUpperInvariant(),
            '-' => $"  {Plain(text)}",
            _ => Plain(text),
        });
        return i;
    }

    private static bool StartsBlock(string line) => line.Length == 0 || Block().IsMatch(line);

    private static string[] CellsOf(string row) =>
        [.. CellEnd().Split(row.Trim()[1..^1]).Select(static cell => Plain(cell.Trim()))];

    [GeneratedRegex(@"\[(?<shown>[^\]]*)\]\([^)]*\)", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Link();

    [GeneratedRegex(@"^(#|\||```|\s*- |\s*\d+\. )", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Block();

    // A bar in a cell is written with a backslash.
    [GeneratedRegex(@"(?<!\\)\|", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex CellEnd();
}
