using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>
/// No arrow upward inside the library. The files are bound as one compilation, so a use counts however it is
/// written: by a using directive, by a relative name, or through a var whose type is never named.
/// </summary>
public static class LayerRules
{
    private const string ImplicitUsings = """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Net.Http;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    public static IEnumerable<Offence> UpwardUse(IEnumerable<SourceFile> files)
    {
        SourceFile[] library = [.. files.Where(file => file.IsUnder(Layers.Library))];
        CSharpCompilation compilation = Compile(library);
        return library.SelectMany(file => UpwardUse(file, compilation.GetSemanticModel(file.Tree)));
    }

    /// <summary>Names that the compilation above cannot bind: the layers of such names would go unchecked.</summary>
    public static IEnumerable<Offence> UnboundName(IEnumerable<SourceFile> files)
    {
        SourceFile[] library = [.. files.Where(file => file.IsUnder(Layers.Library))];
        return from diagnostic in Compile(library).GetDiagnostics()
               where diagnostic.Id is "CS0103" or "CS0234" or "CS0246" or "CS0400" or "CS1061"
               select new Offence(
                   diagnostic.Location.SourceTree?.FilePath ?? "",
                   diagnostic.Location.GetLineSpan().StartLinePosition.Line + 1,
                   diagnostic.GetMessage());
    }

    private static IEnumerable<Offence> UpwardUse(SourceFile file, SemanticModel model)
    {
        string layer = Layers.Of(file.Path);
        if (!Layers.IsKnown(layer)) yield return file.At(1, $"folder {layer} has no layer: add it to Layers.cs");
        HashSet<(int, string)> seen = [];
        foreach (SimpleNameSyntax name in file.Root.DescendantNodes().OfType<SimpleNameSyntax>())
        {
            foreach (string message in Complaints(file, layer, model.GetSymbolInfo(name)))
            {
                Offence offence = file.At(name, $"{name.Identifier.ValueText}: {message}");
                if (seen.Add((offence.Line, message))) yield return offence;
            }
        }
    }

    private static IEnumerable<string> Complaints(SourceFile file, string layer, SymbolInfo info)
    {
        ISymbol? symbol = info.Symbol ?? info.CandidateSymbols.FirstOrDefault();
        if (symbol is INamespaceSymbol space)
        {
            string name = space.ToDisplayString();
            return Complaints(file, layer, Layers.OfNamespace(name), Layers.BackendOfNamespace(name));
        }

        INamedTypeSymbol? type = symbol as INamedTypeSymbol ?? symbol?.ContainingType;
        return (type?.DeclaringSyntaxReferences ?? []).Select(at => at.SyntaxTree.FilePath)
            .Where(path => path.Length > 0)
            .SelectMany(path => Complaints(file, layer, Layers.Of(path), Layers.BackendOf(path)));
    }

    private static IEnumerable<string> Complaints(SourceFile file, string layer, string? usedLayer, string? backend)
    {
        if (Layers.MayNotKnow(layer, usedLayer)) yield return $"{layer} may not know {usedLayer}";
        bool isSelector = file.Path.StartsWith(Layers.Selector, StringComparison.Ordinal);
        if (backend is not null && backend != Layers.BackendOf(file.Path) && !isSelector)
        {
            yield return $"only {Layers.Selector}*.cs may name the backend {backend}";
        }
    }

    private static CSharpCompilation Compile(IEnumerable<SourceFile> files)
    {
        string trusted = (string?)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") ?? "";
        string runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        return CSharpCompilation.Create(
            "Layers",
            files.Select(file => file.Tree).Prepend(CSharpSyntaxTree.ParseText(ImplicitUsings)),
            trusted.Split(Path.PathSeparator)
                .Where(path => Path.GetDirectoryName(path) == runtime)
                .Select(path => MetadataReference.CreateFromFile(path)),
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
    }
}
