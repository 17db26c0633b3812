using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>
/// Tests lie where what they test lies: the folder tests/Spate.Tests/A/B stands for src/Spate/A/B or src/Spate.A/B, and
/// so does tests/Spate.HostTests/A/B.
/// </summary>
public static class MirrorRules
{
    private const string Library = "src/Spate";

    private static readonly string[] Programs = ["tests/Spate.HostTests", "tests/Spate.Tests"];

    /// <summary>Folders of tests that go through everything, with what they share.</summary>
    public static readonly IReadOnlyDictionary<string, string> CrossCutting =
        new Dictionary<string, string>(StringComparer.Ordinal)
        {
            ["Abi"] = "structs and imports of all projects against the headers",
            ["Contracts"] = "what every backend must do",
            ["Gateway/Brokers"] = "real brokers",
            ["Gateway/Failures"] = "brokers and gateways that are killed, stopped and filled",
            ["Kernels"] = "fast paths that depend on the kernel's version",
            ["Namespaces"] = "each test makes a network namespace of its own",
            ["Qdiscs"] = "queueing disciplines between two namespaces",
            ["Samples"] = "the tracker that the sample clients share, which has properties to check",
            ["Windows"] = "programs made for Windows, which run under Wine",
        };

    public static IEnumerable<Offence> FolderWithoutCounterpart(IReadOnlyCollection<SourceFile> files)
    {
        HashSet<string> folders = [.. files.SelectMany(file => Parents(file.Folder))];
        return files.Where(IsTest)
            .Select(file => file.Folder)
            .Distinct()
            .Where(folder => Inside(folder).Length > 0 && !CrossCutting.ContainsKey(Inside(folder)))
            .Where(folder => !Counterparts(Inside(folder)).Any(folders.Contains))
            .Select(folder => new Offence(folder, 1, $"nothing in src is called {Inside(folder)}"));
    }

    /// <summary>A class FooTests stands for the type Foo, and lies in the folder that stands for Foo's.</summary>
    public static IEnumerable<Offence> TestsElsewhere(IReadOnlyCollection<SourceFile> files)
    {
        ILookup<string, string> folders = files.Where(file => file.IsCSharp && file.IsUnder("src"))
            .SelectMany(file => Types(file).Select(type => (type.Identifier.ValueText, file.Folder)))
            .ToLookup(type => type.ValueText, type => type.Folder);
        foreach (SourceFile file in files.Where(IsTest))
        {
            foreach (TypeDeclarationSyntax test in Types(file))
            {
                string name = test.Identifier.ValueText;
                if (!name.EndsWith("Tests", StringComparison.Ordinal)) continue;
                string[] own = [.. folders[name[..^"Tests".Length]].Distinct()];
                string[] allowed = Inside(file.Folder).Length == 0 ? [Library] : [.. Counterparts(Inside(file.Folder))];
                if (own.Length > 0 && !own.Any(allowed.Contains) && !CrossCutting.ContainsKey(Inside(file.Folder)))
                {
                    yield return file.At(test.Identifier, $"{name} tests a type of {own[0]}, and lies elsewhere");
                }
            }
        }
    }

    /// <summary>Two classes of one name in the tests: a reader cannot tell which one failed.</summary>
    public static IEnumerable<Offence> NameTwice(IEnumerable<SourceFile> files) =>
        from file in files
        where file.IsCSharp && file.IsUnder("tests")
        from type in Types(file)
        where type.Identifier.ValueText.EndsWith("Tests", StringComparison.Ordinal)
        group file.At(type.Identifier, type.Identifier.ValueText) by type.Identifier.ValueText into same
        where same.Select(offence => Folder(offence.Path)).Distinct().Count() > 1
        from offence in same
        select offence;

    private static string Folder(string path) => path[..path.LastIndexOf('/')];

    private static bool IsTest(SourceFile file) => file.IsCSharp && file.IsUnderAny(Programs);

    // What follows the second slash.
    private static string Inside(string folder) => folder.Split('/', 3) is [_, _, string inside] ? inside : "";

    private static IEnumerable<string> Counterparts(string folder) => [$"{Library}/{folder}", $"{Library}.{folder}"];

    private static IEnumerable<TypeDeclarationSyntax> Types(SourceFile file) => file.Root
        .DescendantNodes(node => node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax)
        .OfType<TypeDeclarationSyntax>();

    private static IEnumerable<string> Parents(string folder)
    {
        for (string at = folder; at.Length > 0; at = at[..Math.Max(at.LastIndexOf('/'), 0)]) yield return at;
    }
}
