using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>
/// What a user of the library can see is what lies at the root of one of its namespaces, one type per file.
/// </summary>
public static class PublicTypeRules
{
    private const string Library = "src/Spate";
    private const string Servers = "src/Spate/Serving";

    public static IEnumerable<Offence> PublicTypeMisplaced(SourceFile file)
    {
        if (!file.IsUnder(Library)) yield break;
        MemberDeclarationSyntax[] types = [.. TopLevelTypes(file.Root)];
        MemberDeclarationSyntax[] open = [.. types.Where(IsPublic)];
        if (file.Folder is not (Library or Servers))
        {
            foreach (MemberDeclarationSyntax type in open)
            {
                yield return file.At(type, $"public type {Name(type)} below {Library} and {Servers}");
            }

            yield break;
        }

        foreach (MemberDeclarationSyntax type in open.Skip(1))
        {
            yield return file.At(type, $"second public type {Name(type)} in one file");
        }

        if (types.Length > 0 && open.Length == 0)
        {
            yield return file.At(types[0], $"no public type: internal ones lie in a folder below {file.Folder}");
        }

        if (open.Length > 0 && Name(open[0]) != file.FileName.Split('.')[0])
        {
            yield return file.At(open[0], $"public type {Name(open[0])} in a file of another name");
        }
    }

    private static IEnumerable<MemberDeclarationSyntax> TopLevelTypes(SyntaxNode root) =>
        root.DescendantNodes(node => node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax)
            .OfType<MemberDeclarationSyntax>()
            .Where(node => node is BaseTypeDeclarationSyntax or DelegateDeclarationSyntax);

    private static bool IsPublic(MemberDeclarationSyntax type) => type.Modifiers.Any(SyntaxKind.PublicKeyword);

    private static string Name(MemberDeclarationSyntax type) => type switch
    {
        BaseTypeDeclarationSyntax declared => declared.Identifier.ValueText,
        DelegateDeclarationSyntax declared => declared.Identifier.ValueText,
        _ => type.ToString(),
    };
}
