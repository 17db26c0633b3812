using System.Text;

namespace Spate.Build.Website;

/// <summary>
/// The pages of the site lie as they lie in the repository, except that a README.md is the index of its folder. What
/// they link to and is no page, such as a program of samples/, becomes a page that shows it.
/// </summary>
/// <param name="top">The repository's top.</param>
internal sealed class SitePages(string top)
{
    private const string Docs = "docs";
    private const string Readme = "README.md";

    // DocFX's own files: settings, and changes of its template.
    private const string Settings = "docs/docfx.json";
    private const string Template = "docs/site";

    private readonly SortedSet<string> _shown = new(StringComparer.Ordinal);

    public void Write(string output)
    {
        Dictionary<string, string> pages = Files("*.md", SearchOption.TopDirectoryOnly)
            .Concat(Files("*.md", SearchOption.AllDirectories, Docs))
            .ToDictionary(path => path, path => File.ReadAllText(Path.Combine(top, path)), StringComparer.Ordinal);
        foreach ((string path, string text) in pages)
            Put(output, Renamed(path), PageLinks.Rewrite(text, link => Target(path, link)));
        foreach (string path in _shown) Put(output, ShownAt(path), Show(path));
        foreach (string path in Files("*", SearchOption.AllDirectories, Docs, "assets").Except(pages.Keys))
            Copy(path, Path.Combine(output, Place(path)));

        var titles = pages.ToDictionary(page => page.Key, page => SiteContents.TitleOf(page.Value));
        string map = pages.GetValueOrDefault($"{Docs}/{Readme}", "");
        Put(output, "toc.yml", SiteContents.OfSite(titles));
        Put(output, $"{Docs}/toc.yml", SiteContents.OfDocs(titles, map));
    }

    /// <summary>The path of a page in the site's folder.</summary>
    public static string Renamed(string path) =>
        Path.GetFileName(path) == Readme ? path[..^Readme.Length] + "index.md" : path;

    /// <summary>What a relative link of a page is in the site.</summary>
    private string Target(string page, string link)
    {
        string path = Path.GetRelativePath(top, Path.Combine(top, Path.GetDirectoryName(page)!, link)).Replace('\\', '/');
        if (path.EndsWith(".md", StringComparison.Ordinal)) return Renamed(link);
        bool isFolder = Directory.Exists(Path.Combine(top, path));
        if (path.StartsWith(Docs, StringComparison.Ordinal) || path.StartsWith("assets/", StringComparison.Ordinal)
            || (!isFolder && !File.Exists(Path.Combine(top, path))))
        {
            return link;
        }

        _shown.Add(path);
        return isFolder ? $"{link.TrimEnd('/')}/index.md" : $"{link}.md";
    }

    private string ShownAt(string path) =>
        Directory.Exists(Path.Combine(top, path)) ? $"{path}/index.md" : $"{path}.md";

    private string Show(string path)
    {
        var page = new StringBuilder($"# {path}\n\n");
        if (Directory.Exists(Path.Combine(top, path)))
        {
            foreach (string file in Files("*", SearchOption.AllDirectories, path)) page.Append($"- `{file}`\n");
            return page.ToString();
        }

        string language = Path.GetExtension(path) switch
        {
            ".cs" => "csharp",
            ".sh" => "bash",
            ".py" => "python",
            ".json" => "json",
            ".yaml" or ".yml" => "yaml",
            _ => "text",
        };
        return page.Append($"````{language}\n{File.ReadAllText(Path.Combine(top, path)).TrimEnd()}\n````\n").ToString();
    }

    private IEnumerable<string> Files(string pattern, SearchOption depth, params string[] folders) =>
        from folder in folders.Length == 0 ? [""] : folders
        where Directory.Exists(Path.Combine(top, folder))
        from path in Directory.EnumerateFiles(Path.Combine(top, folder), pattern, depth).Order(StringComparer.Ordinal)
        let file = Path.GetRelativePath(top, path).Replace('\\', '/')
        where !$"/{file}".Contains("/bin/", StringComparison.Ordinal)
            && !$"/{file}".Contains("/obj/", StringComparison.Ordinal)
        select file;

    private static string Place(string path) => path switch
    {
        Settings => Path.GetFileName(Settings),
        _ when path.StartsWith($"{Template}/", StringComparison.Ordinal) => path[$"{Docs}/".Length..],
        _ => path,
    };

    private void Copy(string path, string to)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(to)!);
        File.Copy(Path.Combine(top, path), to);
    }

    private static void Put(string output, string path, string text)
    {
        string full = Path.Combine(output, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, text);
    }
}
