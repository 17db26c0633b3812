using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

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
        string[] assemblies = [.. packages.Select(
            package => Path.Combine(top, "src", package, "bin", configuration, "net10.0", package + ".dll"))];
        foreach (string assembly in assemblies)
        {
            if (!File.Exists(assembly) || !File.Exists(Path.ChangeExtension(assembly, ".xml")))
            {
                throw new BuildException(
                    $"{assembly} or its documentation (.xml) is not there: dotnet build -c {configuration} makes both");
            }
        }

        MetadataReference[] own = [.. assemblies.Select(path => MetadataReference.CreateFromFile(path))];
        var compilation = CSharpCompilation.Create("Reference", references: [.. own, .. Runtime()]);
        var docs = new DocIndex(assemblies.Select(path => Path.ChangeExtension(path, ".xml")), compilation);
        Dictionary<string, INamedTypeSymbol[]> types = packages.Zip(own).ToDictionary(
            pair => pair.First,
            pair => TypesOf((IAssemblySymbol)compilation.GetAssemblyOrModuleSymbol(pair.Second)!));
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

    private static IEnumerable<MetadataReference> Runtime() =>
        ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => Path.GetFileName(path).StartsWith("System.", StringComparison.Ordinal))
            .Select(path => MetadataReference.CreateFromFile(path));
}
