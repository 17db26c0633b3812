using System.Reflection;
using System.Text;
using System.Text.Json;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Spate.Build.Mutants;

/// <summary>
/// Compiles a project in memory, with the arguments that the build gives the compiler. A build per mutant would spend
/// most of its time on the projects that did not change.
/// </summary>
internal sealed class ProjectCompiler
{
    private readonly CSharpCommandLineArguments _arguments;
    private readonly CSharpCompilation _clean;
    private GeneratorDriver _generators;

    private ProjectCompiler(CSharpCommandLineArguments arguments)
    {
        _arguments = arguments;
        _clean = CSharpCompilation.Create(
            arguments.CompilationName,
            arguments.SourceFiles.Select(file => CSharpSyntaxTree.ParseText(
                File.ReadAllText(file.Path), arguments.ParseOptions, file.Path, Encoding.UTF8)),
            arguments.MetadataReferences.Select(one => MetadataReference.CreateFromFile(one.Reference, one.Properties)),
            arguments.CompilationOptions);
        var loader = new Loader();
        _generators = CSharpGeneratorDriver.Create(
            arguments.AnalyzerReferences
                .SelectMany(one => new AnalyzerFileReference(one.FilePath, loader).GetGenerators(LanguageNames.CSharp)),
            parseOptions: arguments.ParseOptions);
    }

    public static async Task<ProjectCompiler> ReadAsync(Child child, string folder, CancellationToken stop)
    {
        string items = await child.RunAsync(
            folder,
            "dotnet",
            [
                "msbuild", "-nodeReuse:false", .. WorkCopy.BuildOptions, "-t:Compile", "-p:SkipCompilerExecution=true",
                "-p:ProvideCommandLineArgs=true", "-p:BuildProjectReferences=false",
                "-p:NonExistentFile=none/none", "-getItem:CscCommandLineArgs",
            ],
            stop);
        using var document = JsonDocument.Parse(items);
        IEnumerable<string> words = document.RootElement.GetProperty("Items").GetProperty("CscCommandLineArgs")
            .EnumerateArray().Select(item => item.GetProperty("Identity").GetString()!);
        CSharpCommandLineArguments arguments = CSharpCommandLineParser.Default.Parse(
            CommandLineParser.SplitCommandLineIntoArguments(string.Join(' ', words), removeHashComments: false),
            folder, sdkDirectory: null);
        if (arguments.SourceFiles.Length == 0) throw new BuildException($"the build compiles nothing in {folder}");
        return new ProjectCompiler(arguments);
    }

    /// <summary>The assembly with one changed file; null if that does not compile.</summary>
    public byte[]? Compile(string path, string text)
    {
        SyntaxTree old = _clean.SyntaxTrees.FirstOrDefault(tree => tree.FilePath == path)
            ?? throw new BuildException($"the build does not compile {path}");
        CSharpCompilation changed = _clean.ReplaceSyntaxTree(
            old, CSharpSyntaxTree.ParseText(text, _arguments.ParseOptions, path, Encoding.UTF8));
        _generators = _generators.RunGeneratorsAndUpdateCompilation(changed, out Compilation whole, out _);
        using var assembly = new MemoryStream();
        bool compiles = whole.Emit(
            assembly, manifestResources: _arguments.ManifestResources, options: _arguments.EmitOptions).Success;
        return compiles ? assembly.ToArray() : null;
    }

    private sealed class Loader : IAnalyzerAssemblyLoader
    {
        public void AddDependencyLocation(string fullPath)
        {
            // LoadFrom looks next to the assembly that asks.
        }

        public Assembly LoadFromPath(string fullPath) => Assembly.LoadFrom(fullPath);
    }
}
