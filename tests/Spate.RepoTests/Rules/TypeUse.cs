using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>
/// One place of a file that uses a type of the bound files. From is the type around that place, and null where none is;
/// both types are the outermost ones.
/// </summary>
public sealed record TypeUse(INamedTypeSymbol? From, INamedTypeSymbol To, Location At)
{
    /// <summary>Every use of another type in a file, in the file's order.</summary>
    public static IEnumerable<TypeUse> In(SourceModel model, SourceFile file)
    {
        SemanticModel semantics = model.Of(file.Tree);
        foreach (SyntaxNode node in file.Root.DescendantNodes())
        {
            if (node is not (SimpleNameSyntax or ImplicitObjectCreationExpressionSyntax)) continue;
            if (Used(semantics.GetSymbolInfo(node)) is not { } to) continue;
            INamedTypeSymbol? from = Around(node, semantics);
            if (SymbolEqualityComparer.Default.Equals(from, to)) continue;
            yield return new TypeUse(from, to, node.GetLocation());
        }
    }

    /// <summary>The files that declare the used type; several for a partial one.</summary>
    public IEnumerable<string> Paths => To.DeclaringSyntaxReferences.Select(at => at.SyntaxTree.FilePath);

    /// <summary>True for the use of a type that is declared in this folder or below it.</summary>
    public bool IsOf(string folder) =>
        Paths.Any(path => path.StartsWith(folder + "/", StringComparison.Ordinal));

    private static INamedTypeSymbol? Used(SymbolInfo info)
    {
        ISymbol? symbol = info.Symbol ?? info.CandidateSymbols.FirstOrDefault();
        INamedTypeSymbol? type = symbol as INamedTypeSymbol ?? symbol?.ContainingType;
        if (type is null) return null;
        INamedTypeSymbol outer = Outermost(type);
        return outer.DeclaringSyntaxReferences.IsEmpty ? null : outer;
    }

    private static INamedTypeSymbol? Around(SyntaxNode node, SemanticModel semantics)
    {
        SyntaxNode? declaration = node.Ancestors()
            .LastOrDefault(at => at is BaseTypeDeclarationSyntax or DelegateDeclarationSyntax);
        return declaration is null ? null : semantics.GetDeclaredSymbol(declaration) as INamedTypeSymbol;
    }

    private static INamedTypeSymbol Outermost(INamedTypeSymbol type)
    {
        INamedTypeSymbol at = type;
        while (at.ContainingType is { } outer) at = outer;
        return at.OriginalDefinition;
    }
}
