using System.Text;
using System.Text.RegularExpressions;

namespace Spate.Build.ApiLists;

/// <summary>The part of CHANGELOG.md about the API since the last release.</summary>
internal sealed partial class ApiChangelog
{
    private const string TableSection = "Renamed";

    /// <summary>Sections about changes of existing things: an addition announces no removal.</summary>
    private static readonly string[] ChangeSections = [TableSection, "Changed", "Deprecated", "Removed"];

    private readonly HashSet<string> _all = new(StringComparer.Ordinal);
    private readonly HashSet<string> _changes = new(StringComparer.Ordinal);
    private readonly HashSet<string> _used = new(StringComparer.Ordinal);

    /// <param name="text">The whole file.</param>
    /// <param name="version">
    /// The version that is packed. It has a heading of its own from the release on; before, its part is
    /// <c>[Unreleased]</c>.
    /// </param>
    public ApiChangelog(string text, string version)
    {
        var renames = new List<(string Old, string New)>();
        foreach ((string section, string body) in Sections(text, version))
        {
            string[] names = [.. Names(body)];
            _all.UnionWith(names);
            if (ChangeSections.Contains(section)) _changes.UnionWith(names);
            if (section == TableSection) renames.AddRange(body.Split('\n').SelectMany(Renames));
            _used.UnionWith(Names(FirstCell().Replace(body, "")));
        }

        Rows = renames;
    }

    /// <summary>The names of the table that have a new name.</summary>
    public IReadOnlyList<(string Old, string New)> Rows { get; }

    /// <summary>True if a section of changes has the name of a type or member.</summary>
    public bool NamesChange(string name) => _changes.Contains(name);

    /// <summary>True if any section has the name of a type or package, or of a member of the type.</summary>
    public bool Mentions(string type) =>
        _all.Contains(type) || _all.Any(name => name.StartsWith(type + ".", StringComparison.Ordinal));

    /// <summary>True if the text has the name outside the first column of a table.</summary>
    public bool Uses(string name) => _used.Contains(name);

    private static IEnumerable<(string Section, string Body)> Sections(string text, string version)
    {
        bool isInside = false;
        string section = "";
        var body = new StringBuilder();
        bool isCode = false;
        foreach (string line in text.ReplaceLineEndings("\n").Split('\n'))
        {
            // Code of an example is neither a heading nor a name.
            bool isFence = line.StartsWith("```", StringComparison.Ordinal);
            isCode ^= isFence;
            if (isCode || isFence) continue;
            if (line.StartsWith("## [", StringComparison.Ordinal))
            {
                isInside = line.StartsWith("## [Unreleased]", StringComparison.Ordinal)
                    || line.StartsWith($"## [{version}]", StringComparison.Ordinal);
            }

            if (!line.StartsWith('#'))
            {
                if (isInside) body.Append(line).Append('\n');
                continue;
            }

            yield return (section, body.ToString());
            body.Clear();
            section = line.TrimStart('#').Trim();
        }

        yield return (section, body.ToString());
    }

    private static IEnumerable<string> Names(string text) =>
        from Match code in Code().Matches(text)
        let name = Name().Match(ApiList.WithoutTypeArguments(code.Groups["text"].Value))
        where name.Success
        select name.Value;

    /// <summary>A row renames if its second cell has names alone, as many as the first.</summary>
    private static IEnumerable<(string Old, string New)> Renames(string line)
    {
        if (line.Split('|') is not ["", var before, var now, ..]) return [];
        string[] old = [.. Names(before)];
        string[] renamed = [.. Names(now)];
        bool isRename = old.Length == renamed.Length && Code().Replace(now, "").Trim(' ', ',').Length == 0;
        return isRename ? old.Zip(renamed) : [];
    }

    [GeneratedRegex("`(?<text>[^`]+)`", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Code();

    [GeneratedRegex(@"^\|[^|\n]*\|", RegexOptions.Multiline, matchTimeoutMilliseconds: 1000)]
    private static partial Regex FirstCell();

    /// <summary>A name with dots. Text after the name, such as parameters, is not compared.</summary>
    [GeneratedRegex(
        @"^(new )?\w+(\.(operator [^\s(]+|\w+))*(\.\*)?", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Name();
}
