using System.Text.RegularExpressions;

namespace Spate.RepoTests.Rules;

/// <summary>
/// C# in documents is included from files that are compiled. A fence of C# stands below a line
/// <c>&lt;!-- include: samples/A.cs#name --></c>: it holds the regions of that name, from <c>// docs: name</c> to
/// <c>// end</c>, each without its indentation, with an empty line between two. Without a name it holds the whole file.
/// </summary>
public static partial class SnippetRules
{
    private const string Fence = "```csharp";
    private const string FenceEnd = "```";
    private const string RegionStart = "// docs: ";
    private const string RegionEnd = "// end";
    private const string Snippets = "samples/Snippets";

    /// <summary>Fences that are included from nowhere or differ from what they include.</summary>
    public static IEnumerable<Offence> Stale(SourceFile document, IReadOnlyList<SourceFile> files)
    {
        foreach (Block block in Blocks(document))
        {
            if (block.Include is not { } include)
            {
                yield return document.At(block.FenceLine + 1, "C# that is included from no compiled file");
            }
            else if (Read(include, files) is not { } wanted)
            {
                yield return document.At(block.FenceLine, $"{include} is no file with such a region");
            }
            else if (!document.Lines.AsSpan((block.FenceLine + 1)..block.EndLine).SequenceEqual(wanted))
            {
                yield return document.At(block.FenceLine + 1, $"differs from {include}");
            }
        }
    }

    /// <summary>Regions of the snippets that no document includes.</summary>
    public static IEnumerable<Offence> Unused(IReadOnlyList<SourceFile> files)
    {
        HashSet<string> included = [.. files.Where(IsDocument).SelectMany(Blocks).Select(block => block.Include ?? "")];
        return from file in files
               where file.IsCSharp && file.IsUnder(Snippets)
               from line in Enumerable.Range(0, file.Lines.Length)
               let text = file.Lines[line].Trim()
               where text.StartsWith(RegionStart, StringComparison.Ordinal)
               where !included.Contains($"{file.Path}#{text[RegionStart.Length..]}")
               select file.At(line + 1, "a region that no document includes");
    }

    /// <summary>The document with every fence as what it includes is now.</summary>
    public static string Renewed(SourceFile document, IReadOnlyList<SourceFile> files)
    {
        List<string> lines = [];
        int next = 0;
        foreach (Block block in Blocks(document))
        {
            if (block.Include is not { } include || Read(include, files) is not { } wanted) continue;
            lines.AddRange(document.Lines[next..(block.FenceLine + 1)]);
            lines.AddRange(wanted);
            next = block.EndLine;
        }

        lines.AddRange(document.Lines[next..]);
        return string.Join('\n', lines) + "\n";
    }

    /// <summary>Where C# must be compiled: what users read. Decisions quote code that is no more.</summary>
    public static bool IsDocument(SourceFile file) =>
        file.IsMarkdown && (file.Path == "README.md" || file.IsUnder("docs")) && !file.IsUnder("docs/decisions");

    /// <summary>The lines of a file or of its regions of a name; null where there are none.</summary>
    public static string[]? Read(string include, IReadOnlyList<SourceFile> files)
    {
        string[] parts = include.Split('#', 2);
        if (files.FirstOrDefault(file => file.Path == parts[0]) is not { IsCSharp: true } source) return null;
        if (parts.Length == 1) return source.Lines;
        List<string> lines = [];
        List<string>? region = null;
        foreach (string line in source.Lines)
        {
            if (line.Trim() == RegionStart + parts[1])
            {
                region = [];
            }
            else if (line.Trim() == RegionEnd && region is not null)
            {
                if (lines.Count > 0) lines.Add("");
                lines.AddRange(Unindented(region));
                region = null;
            }
            else
            {
                region?.Add(line);
            }
        }

        return lines.Count > 0 ? [.. lines] : null;
    }

    private static IEnumerable<string> Unindented(List<string> region)
    {
        int indentation = region.Where(line => line.Trim().Length > 0)
            .Select(line => line.Length - line.TrimStart().Length).DefaultIfEmpty(0).Min();
        return region.Select(line => line.Length <= indentation ? "" : line[indentation..]);
    }

    private static IEnumerable<Block> Blocks(SourceFile document)
    {
        for (int i = 0; i < document.Lines.Length; i++)
        {
            if (document.Lines[i] != Fence) continue;
            int end = Array.IndexOf(document.Lines, FenceEnd, i + 1);
            if (end < 0) end = document.Lines.Length;
            Match include = i > 0 ? IncludeLine().Match(document.Lines[i - 1]) : Match.Empty;
            yield return new Block(i, end, include.Success ? include.Groups["what"].Value : null);
            i = end;
        }
    }

    [GeneratedRegex(@"^<!-- include: (?<what>\S+) -->$", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 1000)]
    private static partial Regex IncludeLine();

    private sealed record Block(int FenceLine, int EndLine, string? Include);
}
