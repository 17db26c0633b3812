using System.Text;
using System.Text.Json;

namespace Spate.Build.Website;

/// <summary>
/// The tables of contents, from the pages' titles. The links of docs/README.md, the map of the documentation, give the
/// order of folders and pages. Pages without a link follow in the order of their paths.
/// </summary>
internal static class SiteContents
{
    private const string Docs = "docs/";
    private const string Front = "README.md";
    private const string Map = "docs/README.md";

    /// <summary>The bar at the top.</summary>
    public static string OfSite(IReadOnlyDictionary<string, string> titles)
    {
        var contents = new StringBuilder("- name: Documentation\n  href: docs/\n");
        contents.Append("- name: C# reference\n  href: reference/\n- name: Project\n  items:\n");
        foreach (string path in titles.Keys.Where(IsOfProject).Order(StringComparer.Ordinal))
            Add(contents, "  ", titles[path], path);
        return contents.ToString();
    }

    /// <summary>The table of contents of docs/.</summary>
    /// <param name="titles">The titles of all pages by their paths.</param>
    /// <param name="map">The text of the map.</param>
    public static string OfDocs(IReadOnlyDictionary<string, string> titles, string map)
    {
        string[] linked = [.. PageLinks.Of(map).Select(link => Docs + link).Where(titles.ContainsKey)];
        string[] pages =
        [
            .. titles.Keys.Where(path => path == Map), .. linked.Where(path => path != Map),
            .. titles.Keys.Where(path => path.StartsWith(Docs, StringComparison.Ordinal)).Order(StringComparer.Ordinal),
        ];
        var contents = new StringBuilder();
        foreach (IGrouping<string, string> section in pages.Distinct().GroupBy(SectionOf))
        {
            bool isFolder = section.Key.EndsWith('/');
            if (isFolder) contents.Append($"- name: {Capital(section.Key.TrimEnd('/'))}\n  items:\n");
            foreach (string path in section)
                Add(contents, isFolder ? "  " : "", titles[path], SitePages.Renamed(path)[Docs.Length..]);
        }

        return contents.ToString();
    }

    /// <summary>The first heading, without marks of code.</summary>
    public static string TitleOf(string page) =>
        page.Split('\n').FirstOrDefault(line => line.StartsWith("# ", StringComparison.Ordinal))?[2..]
            .Replace("`", "", StringComparison.Ordinal).Trim() ?? "Untitled";

    // The name of the site leads to the front page.
    private static bool IsOfProject(string path) => !path.Contains('/', StringComparison.Ordinal) && path != Front;

    // The folder below docs/, or the page itself if it is in none.
    private static string SectionOf(string path)
    {
        string inside = path[Docs.Length..];
        int slash = inside.IndexOf('/', StringComparison.Ordinal);
        return slash < 0 ? inside : inside[..(slash + 1)];
    }

    // A string of JSON is one of YAML.
    private static void Add(StringBuilder contents, string indent, string title, string href)
    {
        string name = JsonSerializer.Serialize(title, Format.Indented);
        contents.Append($"{indent}- name: {name}\n{indent}  href: {href}\n");
    }

    private static string Capital(string name) => char.ToUpperInvariant(name[0]) + name[1..];
}
