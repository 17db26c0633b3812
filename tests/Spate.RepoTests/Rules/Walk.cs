using System.Text.RegularExpressions;

namespace Spate.RepoTests.Rules;

/// <summary>
/// A member on a walk: the file that its code stands in, Type.Member, and the names of its parameters where overloads
/// must be told apart.
/// </summary>
internal sealed record Stop(string File, string Member, string? Parameters, int Line);

/// <summary>A step of a walk, and what it runs on the way to the next one.</summary>
internal sealed record Step(Stop Stop, List<Stop> Aside);

/// <summary>
/// A walk of ARCHITECTURE.md: one list of steps for each thread that walks, each step calling the next, and the files
/// or members that are left out of it with the reason. A walk that lists folders is a whole one: it has everything that
/// the first step of each list calls, and the other files are listed under their folders.
/// </summary>
internal sealed record Walk(string Title, int Line)
{
    private const int MaxLineLength = 120;
    private const string Section = "## Walks";
    private const string Files = @"^(- `(?<folder>src/[\w./]+)/`:| )(?<names>( `[\w.]+`,?)+)$";
    private const string Place = @"`(?<file>\w[\w.]*\.cs)` `(?<member>[\w.]+)(\((?<parameters>[\w, ]*)\))?`";

    // The folder whose files the next line may go on to list.
    private string? _folder;

    public List<List<Step>> Chains { get; } = [];

    public Dictionary<string, int> LeftOut { get; } = new(StringComparer.Ordinal);

    /// <summary>The paths of the files that are listed by folder, each with its line.</summary>
    public Dictionary<string, int> Listed { get; } = new(StringComparer.Ordinal);

    public bool IsWhole => Listed.Count > 0;

    /// <summary>Lines that look like a list and are no part of a walk.</summary>
    public List<int> Unread { get; } = [];

    public IEnumerable<Stop> Stops =>
        Chains.SelectMany(chain => chain).SelectMany(step => step.Aside.Prepend(step.Stop));

    /// <summary>Reads the section Walks of a document.</summary>
    public static IEnumerable<Walk> Read(string[] lines)
    {
        List<Walk> walks = [];
        int first = Array.IndexOf(lines, Section);
        for (int i = first + 1; first >= 0 && i < lines.Length; i++)
        {
            if (lines[i].StartsWith("## ", StringComparison.Ordinal)) break;
            if (lines[i].StartsWith("### ", StringComparison.Ordinal)) walks.Add(new Walk(lines[i][4..], i + 1));
            else if (walks.Count > 0) walks[^1].ReadLine(lines[i], i + 1);
        }

        return walks;
    }

    /// <summary>The lines that list files by folder, each as wide as a document's.</summary>
    public static IEnumerable<string> Listing(IEnumerable<string> files)
    {
        foreach (IGrouping<string, string> folder in files.Order(StringComparer.Ordinal)
            .GroupBy(file => file[..file.LastIndexOf('/')], StringComparer.Ordinal))
        {
            string line = $"- `{folder.Key}/`:";
            foreach (string file in folder)
            {
                string name = $" `{Path.GetFileNameWithoutExtension(file)}`,";
                if (line.Length + name.Length > MaxLineLength)
                {
                    yield return line;
                    line = " ";
                }

                line += name;
            }

            yield return line.TrimEnd(',');
        }
    }

    private void ReadLine(string line, int number)
    {
        if (Match(line, Files) is { } listed && ReadFolder(listed, number)) return;
        _folder = null;
        if (Match(line, @"^(?<number>\d+)\. " + Place) is { } step)
        {
            if (step["number"].Value == "1") Chains.Add([]);
            if (Chains.Count > 0) Chains[^1].Add(new Step(At(step, number), []));
            else Unread.Add(number);
        }
        else if (Match(line, "^ +- " + Place) is { } aside && Chains.Count > 0)
        {
            Chains[^1][^1].Aside.Add(At(aside, number));
        }
        else if (Match(line, @"^- (?<names>(`[\w.]+`(, | and )?)+): \w") is { } leftOut)
        {
            foreach (string name in leftOut["names"].Value.Split('`').Where((_, i) => i % 2 == 1))
            {
                LeftOut[name] = number;
            }
        }
        else if (Match(line, @"^\s*(-|\d+\.)\s") is not null)
        {
            Unread.Add(number);
        }
    }

    private bool ReadFolder(GroupCollection line, int number)
    {
        if (line["folder"].Success) _folder = line["folder"].Value;
        if (_folder is null) return false;
        foreach (string name in line["names"].Value.Split('`').Where((_, i) => i % 2 == 1))
        {
            Listed[$"{_folder}/{name}.cs"] = number;
        }

        return true;
    }

    private static Stop At(GroupCollection groups, int line) => new(
        groups["file"].Value,
        groups["member"].Value,
        groups["parameters"] is { Success: true } parameters ? parameters.Value : null,
        line);

    private static GroupCollection? Match(string line, string pattern) =>
        Regex.Match(line, pattern, RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(10)) is { Success: true } match
            ? match.Groups
            : null;
}
