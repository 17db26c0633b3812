using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>What one package uses of another that is not public there: types, and members of any type.</summary>
public static class InternalUse
{
    private const string Listed = @"^\| `(?<name>[\w.]+)` \|";

    /// <summary>
    /// Internal types by their name, and members as Type.Member, once however they are overloaded. A constructor has
    /// its type's name twice.
    /// </summary>
    public static IReadOnlyCollection<string> Of(SourceModel model, string user, string used)
    {
        SortedSet<string> found = new(StringComparer.Ordinal);
        foreach (SourceFile file in model.Files.Where(file => file.IsUnder(user)))
        {
            SemanticModel semantics = model.Of(file.Tree);
            foreach (SyntaxNode node in file.Root.DescendantNodes(descendIntoTrivia: false))
            {
                foreach (ISymbol symbol in Symbols(node, semantics).Where(symbol => IsDeclaredIn(symbol, used)))
                {
                    if (symbol is INamedTypeSymbol type && !IsPublic(type)) found.Add(type.Name);
                    else if (symbol is (IMethodSymbol or IPropertySymbol or IFieldSymbol) && !IsPublic(symbol))
                    {
                        found.Add($"{symbol.ContainingType.Name}.{NameOf(symbol)}");
                    }
                }
            }
        }

        return found;
    }

    /// <summary>The first column of a table under a heading of a document, in code quotes.</summary>
    public static IReadOnlyCollection<string> ListedUnder(string[] lines, string heading)
    {
        SortedSet<string> names = new(StringComparer.Ordinal);
        int first = Array.IndexOf(lines, heading);
        for (int i = first + 1; first >= 0 && i < lines.Length && !lines[i].StartsWith('#'); i++)
        {
            Match match = Regex.Match(lines[i], Listed, RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(1));
            if (match.Success) names.Add(match.Groups["name"].Value);
        }

        return names;
    }

    private static IEnumerable<ISymbol> Symbols(SyntaxNode node, SemanticModel semantics)
    {
        if (node is VariableDeclarationSyntax one
            && one.Parent is LocalDeclarationStatementSyntax { UsingKeyword.RawKind: not 0 }
            && semantics.GetTypeInfo(one.Type).Type is { } disposed)
        {
            return disposed.GetMembers("Dispose").Select(Defined);
        }

        if (node is not (SimpleNameSyntax or BaseObjectCreationExpressionSyntax or ElementAccessExpressionSyntax
            or BinaryExpressionSyntax or CastExpressionSyntax or ConstructorInitializerSyntax))
        {
            return [];
        }

        SymbolInfo bound = semantics.GetSymbolInfo(node);
        ISymbol? symbol = bound.Symbol ?? bound.CandidateSymbols.FirstOrDefault();
        return symbol is null ? [] : [Defined(symbol)];
    }

    private static ISymbol Defined(ISymbol symbol) => symbol switch
    {
        IMethodSymbol { AssociatedSymbol: { } property } => property.OriginalDefinition,
        IMethodSymbol { ReducedFrom: { } extension } => extension.OriginalDefinition,
        _ => symbol.OriginalDefinition,
    };

    private static string NameOf(ISymbol symbol) =>
        symbol is IMethodSymbol { MethodKind: MethodKind.Constructor } ? symbol.ContainingType.Name : symbol.Name;

    private static bool IsDeclaredIn(ISymbol symbol, string folder) =>
        (symbol is IMethodSymbol { IsImplicitlyDeclared: true } ? symbol.ContainingType : symbol)
            .DeclaringSyntaxReferences
            .Any(at => at.SyntaxTree.FilePath.StartsWith(folder + "/", StringComparison.Ordinal));

    private static bool IsPublic(ISymbol symbol)
    {
        for (ISymbol? at = symbol; at is not null and not INamespaceSymbol; at = at.ContainingSymbol)
        {
            if (at.DeclaredAccessibility is not (Accessibility.Public or Accessibility.Protected
                or Accessibility.ProtectedOrInternal or Accessibility.NotApplicable))
            {
                return false;
            }
        }

        return true;
    }
}
