using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

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

    private static readonly Lazy<MetadataReference[]> Runtime = new(LoadRuntime);
    private static readonly Lazy<SourceModel> LoadedLibraries = new(() =>
        new SourceModel(Repository.CSharp.Where(
            file => file.IsUnderAny("src/Spate", "src/Spate.Hosting", "src/Spate.Gateway", "src/Spate.Testing"))));

    private readonly Dictionary<SyntaxTree, SemanticModel> _models = [];

    public SourceModel(IEnumerable<SourceFile> files)
    {
        Files = [.. files];
        Compilation = CSharpCompilation.Create(
            "Libraries",
            Files.Select(file => file.Tree).Prepend(CSharpSyntaxTree.ParseText(ImplicitUsings)),
            Runtime.Value,
            new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary,
                allowUnsafe: true,
                nullableContextOptions: NullableContextOptions.Enable));
    }

    /// <summary>The libraries that others build on, bound together and once.</summary>
    public static SourceModel Libraries => LoadedLibraries.Value;

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
        where diagnostic.Id is "CS0103" or "CS0234" or "CS0246" or "CS0400" or "CS1061"
        select new Offence(
            diagnostic.Location.SourceTree?.FilePath ?? "",
            diagnostic.Location.GetLineSpan().StartLinePosition.Line + 1,
            diagnostic.GetMessage());

    private static MetadataReference[] LoadRuntime()
    {
        string trusted = (string?)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") ?? "";
        string runtime = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        return [.. trusted.Split(Path.PathSeparator)
            .Where(path => Path.GetDirectoryName(path) == runtime
                || Path.GetFileName(path).StartsWith("Microsoft.Extensions.", StringComparison.Ordinal)
                || Path.GetFileName(path).StartsWith("RabbitMQ.", StringComparison.Ordinal))
            .Select(path => MetadataReference.CreateFromFile(path))];
    }
}
