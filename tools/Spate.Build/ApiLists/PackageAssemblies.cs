using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Spate.Build.ApiLists;

/// <summary>The built assemblies of packages, bound together with the runtime.</summary>
internal sealed class PackageAssemblies
{
    private static readonly Lazy<MetadataReference[]> Runtime = new(LoadRuntime);

    private readonly Dictionary<string, MetadataReference> _references;

    private PackageAssemblies(IEnumerable<string> paths)
    {
        Paths = [.. paths];
        _references = Paths.ToDictionary(
            path => Path.GetFileNameWithoutExtension(path),
            path => (MetadataReference)MetadataReference.CreateFromFile(path));
        Compilation = CSharpCompilation.Create("Packages", references: [.. _references.Values, .. Runtime.Value]);
    }

    public IReadOnlyList<string> Paths { get; }

    public CSharpCompilation Compilation { get; }

    /// <summary>The projects under src that become packages which others compile against: not the tool.</summary>
    public static IReadOnlyList<string> Names(string top) =>
        [.. Directory.EnumerateDirectories(Path.Combine(top, "src")).Select(path => Path.GetFileName(path))
            .Where(name => IsLibrary(Path.Combine(top, "src", name, name + ".csproj")))
            .Order(StringComparer.Ordinal)];

    /// <param name="top">The repository's top.</param>
    /// <param name="packages">The names of their projects.</param>
    /// <param name="configuration">The configuration whose assemblies are read.</param>
    public static PackageAssemblies Load(string top, IEnumerable<string> packages, string configuration)
    {
        string[] paths = [.. packages.Select(
            name => Path.Combine(top, "src", name, "bin", configuration, "net10.0", name + ".dll"))];
        string? missing = paths.FirstOrDefault(path => !File.Exists(path));
        return missing is null
            ? new PackageAssemblies(paths)
            : throw new BuildException($"{missing} is missing: dotnet build -c {configuration} makes it");
    }

    public IAssemblySymbol Of(string package) =>
        (IAssemblySymbol)Compilation.GetAssemblyOrModuleSymbol(_references[package])!;

    private static bool IsLibrary(string path)
    {
        if (!File.Exists(path)) return false;
        XDocument project = XDocument.Load(path);
        return IsTrue("IsPackable") && !IsTrue("PackAsTool");

        bool IsTrue(string property) => project.Descendants(property).Any(element => element.Value.Trim() == "true");
    }

    private static MetadataReference[] LoadRuntime() =>
        [.. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => Path.GetFileName(path).StartsWith("System.", StringComparison.Ordinal))
            .Select(path => MetadataReference.CreateFromFile(path))];
}
