using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.Build.Mutants;

/// <summary>A file below src with its sites, in order.</summary>
internal sealed record SiteFile(string Project, string Path, string Text, Site[] Sites);

/// <summary>All sites below src, by project and symbol.</summary>
internal sealed class SourceTree
{
    private readonly List<SiteFile> _files = [];
    private readonly HashSet<string> _overloaded;
    private readonly ILookup<string, (SiteFile File, Site Site)> _byName;

    /// <param name="texts">path from the repository's top, and text</param>
    public SourceTree(IEnumerable<(string Path, string Text)> texts)
    {
        HashSet<SiteSymbol> symbols = [];
        foreach ((string path, string text) in texts.OrderBy(file => file.Path, StringComparer.Ordinal))
        {
            SyntaxNode root = CSharpSyntaxTree.ParseText(text).GetRoot();
            MemberDeclarationSyntax[] members = [.. Sites.MembersOf(root)];
            symbols.UnionWith(members.Select(SiteSymbol.Of));
            Namespaces.UnionWith(root.DescendantNodes().OfType<BaseNamespaceDeclarationSyntax>()
                .Select(space => (path.Split('/')[1], space.Name.ToString())));
            _files.Add(new SiteFile(path.Split('/')[1], path, text, [.. members.SelectMany(Sites.Of)]));
        }

        _overloaded =
            [.. symbols.GroupBy(symbol => symbol.Name).Where(same => same.Count() > 1).Select(same => same.Key)];
        _byName = _files.SelectMany(file => file.Sites.Select(site => (file, site)))
            .ToLookup(place => place.site.Symbol.Name);
    }

    public HashSet<(string Project, string Namespace)> Namespaces { get; } = [];

    public static SourceTree Read(string top) => new(
        from path in Directory.EnumerateFiles(Path.Combine(top, "src"), "*.cs", SearchOption.AllDirectories)
        let inside = Path.GetRelativePath(top, path).Replace('\\', '/')
        where !inside.Split('/').Any(folder => folder is "bin" or "obj")
            && !inside.EndsWith(".g.cs", StringComparison.Ordinal)
        select (inside, File.ReadAllText(path)));

    /// <summary>Every possible mutant of each project.</summary>
    public IEnumerable<(string Project, Mutant Mutant)> Mutants()
    {
        Dictionary<(string, MutationKind), int> counts = [];
        foreach (SiteFile file in _files)
        {
            foreach (Site site in file.Sites)
            {
                string symbol = NameOf(site.Symbol);
                int ordinal = counts.GetValueOrDefault((symbol, site.Kind));
                counts[(symbol, site.Kind)] = ordinal + 1;
                yield return (file.Project, new Mutant(symbol, site.Kind, ordinal, site.Text));
            }
        }
    }

    /// <summary>
    /// The site at the ordinal if its text is still the same, else the only site of that text in the symbol.
    /// </summary>
    public (SiteFile File, Site Site)? Find(Mutant mutant)
    {
        string name = mutant.Symbol.Split('(')[0];
        (SiteFile File, Site Site)[] sites =
        [
            .. _byName[name].Where(place => place.Site.Kind == mutant.Kind
                && (mutant.Symbol == name || place.Site.Symbol.Full == mutant.Symbol)),
        ];
        if (mutant.Ordinal < sites.Length && sites[mutant.Ordinal].Site.Text == mutant.Text)
        {
            return sites[mutant.Ordinal];
        }

        (SiteFile File, Site Site)[] same = [.. sites.Where(place => place.Site.Text == mutant.Text)];
        return same.Length == 1 ? same[0] : null;
    }

    private string NameOf(SiteSymbol symbol) => _overloaded.Contains(symbol.Name) ? symbol.Full : symbol.Name;
}
