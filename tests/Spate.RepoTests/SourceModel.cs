using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests;

/// <summary>
/// Source files bound as one compilation against the runtime that the tests run on, so that a rule sees what a name
/// means however the name is written.
/// </summary>
public sealed class SourceModel
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

    // How the files of the packages start that the projects are bound against.
    private static readonly string[] References =
        ["Microsoft.Extensions.", "RabbitMQ.", "MathNet.", "System.CommandLine."];

    private static readonly Lazy<MetadataReference[]> Runtime = new(LoadRuntime);
    private static readonly Lazy<SourceModel> LoadedProjects = new(() =>
        new SourceModel(Repository.CSharp.Where(file => file.IsUnder("src"))));

    private readonly Dictionary<SyntaxTree, SemanticModel> _models = [];

    public SourceModel(IEnumerable<SourceFile> files)
    {
        Files = [.. files];
        Compilation = CSharpCompilation.Create(
            "Projects",
            Files.Select(file => file.Tree)
                .Prepend(CSharpSyntaxTree.ParseText(ImplicitUsings, SourceFile.ParseOptions)),
            Runtime.Value,
            new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary,
                allowUnsafe: true,
                nullableContextOptions: NullableContextOptions.Enable));
    }

    /// <summary>
    /// All projects of src, bound together and once: no two of their types have one name, and a file that several of
    /// them compile belongs to its folder only.
    /// </summary>
    public static SourceModel Projects => LoadedProjects.Value;

    public IReadOnlyList<SourceFile> Files { get; }

    public CSharpCompilation Compilation { get; }

    public SemanticModel Of(SyntaxTree tree)
    {
        lock (_models)
        {
            if (_models.TryGetValue(tree, out SemanticModel? model)) return model;
            return _models[tree] = Compilation.GetSemanticModel(tree);
        }
    }

    /// <summary>Names that the compilation cannot bind: what such names use would go unchecked.</summary>
    public IEnumerable<Offence> UnboundNames() =>
        from diagnostic in Compilation.GetDiagnostics()
        where diagnostic.Id is "CS0103" or "CS0117" or "CS0234" or "CS0246" or "CS0400" or "CS1061"
        where !IsGenerated(diagnostic.Location)
        select new Offence(
            diagnostic.Location.SourceTree?.FilePath ?? "",
            diagnostic.Location.GetLineSpan().StartLinePosition.Line + 1,
            diagnostic.GetMessage());

    // No generator runs here. Of theirs, other files name only the members of a JsonSerializerContext.
    private bool IsGenerated(Location at) =>
        at.SourceTree is { } tree &&
        tree.GetRoot().FindNode(at.SourceSpan).Parent is MemberAccessExpressionSyntax access &&
        Of(tree).GetSymbolInfo(access.Expression).Symbol is INamedTypeSymbol { BaseType.Name: "JsonSerializerContext" };

    private static MetadataReference[] LoadRuntime()
    {
        string trusted = (string?)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") ?? "";
        string runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        return [.. trusted.Split(Path.PathSeparator)
            .Where(path => Path.GetDirectoryName(path) == runtime
                || References.Any(start => Path.GetFileName(path).StartsWith(start, StringComparison.Ordinal)))
            .Select(path => MetadataReference.CreateFromFile(path))];
    }
}
