using System.Text;
using Microsoft.CodeAnalysis;
using Spate.Build.ApiLists;

namespace Spate.Build.ApiDocs;

/// <summary>Makes the pages of the reference from the built assemblies and their XML documentation.</summary>
internal static class ApiPages
{
    private const string Surfaces = "api";

    /// <summary>The pages by file name. The packages are those whose surface stands in <c>api/</c>.</summary>
    /// <param name="top">The repository's top.</param>
    /// <param name="configuration">The configuration whose assemblies are read.</param>
    public static IReadOnlyDictionary<string, string> Make(string top, string configuration)
    {
        string[] packages = [.. Directory.EnumerateFiles(Path.Combine(top, Surfaces), "*.txt")
            .Select(path => Path.GetFileNameWithoutExtension(path)).Order(StringComparer.Ordinal)];
        PackageAssemblies assemblies = PackageAssemblies.Load(top, packages, configuration);
        string[] documents = [.. assemblies.Paths.Select(path => Path.ChangeExtension(path, ".xml"))];
        if (documents.FirstOrDefault(path => !File.Exists(path)) is { } missing)
        {
            throw new BuildException($"{missing} is missing: dotnet build -c {configuration} makes it");
        }

        var docs = new DocIndex(documents, assemblies.Compilation);
        Dictionary<string, INamedTypeSymbol[]> types = packages.ToDictionary(
            package => package, package => TypesOf(assemblies.Of(package)));
        var links = new DocLinks(types.Values.SelectMany(all => all));
        var pages = new SortedDictionary<string, string>(StringComparer.Ordinal)
        {
            ["README.md"] = Index(types, docs, links),
        };
        foreach ((string package, INamedTypeSymbol[] all) in types)
        {
            foreach (INamedTypeSymbol type in all)
                pages.Add(DocLinks.PageOf(type), new TypePage(type, package, docs, links).Write());
        }

        return pages;
    }

    private static string Index(
        Dictionary<string, INamedTypeSymbol[]> types, DocIndex docs, DocLinks links)
    {
        var page = new StringBuilder("# API reference\n\nMade from the documentation in the code by "
            + "`dotnet run -c Release --project tools/Spate.Build -- api-docs`.\n");
        foreach ((string package, INamedTypeSymbol[] all) in types.OrderBy(pair => pair.Key, StringComparer.Ordinal))
        {
            page.Append($"\n## {package}\n\n| type | |\n|---|---|\n");
            foreach (INamedTypeSymbol type in all)
            {
                string summary = FirstSentence(new DocText(links).Cell(docs.Of(type)?.Element("summary")));
                page.Append($"| [`{SymbolText.NameOf(type)}`]({DocLinks.PageOf(type)}) | {summary} |\n");
            }
        }

        return page.ToString();
    }

    private static string FirstSentence(string text)
    {
        int end = text.IndexOf(". ", StringComparison.Ordinal);
        return end < 0 ? text : text[..(end + 1)];
    }

    private static INamedTypeSymbol[] TypesOf(IAssemblySymbol assembly) =>
        [.. Types(assembly.GlobalNamespace).OrderBy(SymbolText.NameOf, StringComparer.Ordinal)];

    private static IEnumerable<INamedTypeSymbol> Types(INamespaceOrTypeSymbol container) =>
        container.GetMembers().OfType<INamespaceOrTypeSymbol>().SelectMany(member => member switch
        {
            INamedTypeSymbol type when SymbolText.IsVisible(type) => Types(type).Prepend(type),
            INamedTypeSymbol => [],
            _ => Types(member),
        });
}
