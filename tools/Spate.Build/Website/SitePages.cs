using System.Text;

namespace Spate.Build.Website;

/// <summary>
/// The pages of the site have the paths that they have in the repository, except that a README.md is the index of its
/// folder. A linked file of another kind, such as a program of samples/, gets a page that shows its text.
/// </summary>
/// <param name="top">The repository's top.</param>
internal sealed class SitePages(string top)
{
    private const string Docs = "docs";
    private const string Assets = "assets";
    private const string Readme = "README.md";

    // DocFX's own files: settings, and changes of its template.
    private const string Settings = "docs/docfx.json";
    private const string Template = "docs/site";

    private readonly Dictionary<string, string> _pages = new(StringComparer.Ordinal);

    // Linked files and folders that have no page of their own.
    private readonly SortedSet<string> _shown = new(StringComparer.Ordinal);

    public void Write(string output)
    {
        foreach (string path in Files("*.md", depth: SearchOption.TopDirectoryOnly).Concat(Files("*.md", Docs)))
            _pages.Add(path, File.ReadAllText(Path.Combine(top, path)));
        foreach ((string path, string text) in _pages)
            Put(output, Renamed(path), PageLinks.Rewrite(text, link => Target(path, link)));
        foreach (string path in _shown) Put(output, ShownAt(path), Show(path));
        foreach (string path in Files("*", Docs).Concat(Files("*", Assets)).Except(_pages.Keys))
            Copy(path, Path.Combine(output, Place(path)));

        var titles = _pages.ToDictionary(page => page.Key, page => SiteContents.TitleOf(page.Value));
        string map = _pages.GetValueOrDefault($"{Docs}/{Readme}", "");
        Put(output, "toc.yml", SiteContents.OfSite(titles));
        Put(output, $"{Docs}/toc.yml", SiteContents.OfDocs(titles, map));
    }

    /// <summary>The path of a page in the site's folder.</summary>
    public static string Renamed(string path) =>
        Path.GetFileName(path) == Readme ? path[..^Readme.Length] + "index.md" : path;

    /// <summary>The target that a relative link of a page has in the site.</summary>
    private string Target(string page, string link)
    {
        string path = Relative(Path.Combine(top, Path.GetDirectoryName(page)!, link));
        if (_pages.ContainsKey(path)) return Renamed(link);
        string full = Path.Combine(top, path);
        if (Directory.Exists(full))
        {
            if (!File.Exists(Path.Combine(full, Readme))) _shown.Add(path);
            return $"{link.TrimEnd('/')}/index.md";
        }

        if (IsUnder(path, Docs, Assets) || !File.Exists(full)) return link;
        _shown.Add(path);
        return $"{link}.md";
    }

    private string ShownAt(string path) =>
        Directory.Exists(Path.Combine(top, path)) ? $"{path}/index.md" : $"{path}.md";

    private string Show(string path)
    {
        var page = new StringBuilder($"# {path}\n\n");
        if (Directory.Exists(Path.Combine(top, path)))
        {
            foreach (string file in Files("*", path))
            {
                string inside = file[(path.Length + 1)..];
                page.Append(IsUnder(file, Docs) ? $"- [{inside}]({inside})\n" : $"- `{inside}`\n");
            }

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

    private IEnumerable<string> Files(
        string pattern, string folder = "", SearchOption depth = SearchOption.AllDirectories) =>
        from path in Directory.EnumerateFiles(Path.Combine(top, folder), pattern, depth).Order(StringComparer.Ordinal)
        let file = Relative(path)
        where !$"/{file}".Contains("/bin/", StringComparison.Ordinal)
            && !$"/{file}".Contains("/obj/", StringComparison.Ordinal)
        select file;

    private string Relative(string path) => Path.GetRelativePath(top, path).Replace('\\', '/').TrimEnd('/');

    private static bool IsUnder(string path, params string[] folders) =>
        folders.Any(folder => path.StartsWith(folder + "/", StringComparison.Ordinal));

    private static string Place(string path) => path switch
    {
        Settings => Path.GetFileName(Settings),
        _ when IsUnder(path, Template) => path[$"{Docs}/".Length..],
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
