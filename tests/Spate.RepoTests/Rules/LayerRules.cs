using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>One type of the library uses another: where it does so first.</summary>
public sealed record Arrow(INamedTypeSymbol From, INamedTypeSymbol To, Location At)
{
    public string FromPart { get; } = Layers.PartOf(From) ?? "";

    public string ToPart { get; } = Layers.PartOf(To) ?? "";

    public override string ToString()
    {
        FileLinePositionSpan span = At.GetLineSpan();
        int line = span.StartLinePosition.Line + 1;
        return $"{span.Path}:{line}: {From.Name} ({FromPart}) -> {To.Name} ({ToPart})";
    }
}

/// <summary>
/// No arrow upward inside the library, and no circle. The files are bound, so a use counts however it is written: by
/// name, by a relative name, as a member of a type that is never named, as an enum's member.
/// </summary>
public static class LayerRules
{
    /// <summary>Each pair of types of which one uses the other, at the first place, ordered by path and line.</summary>
    public static IReadOnlyList<Arrow> Arrows(SourceModel model)
    {
        Dictionary<(INamedTypeSymbol, INamedTypeSymbol), Arrow> arrows = new(PairComparer.Instance);
        foreach (TypeUse use in InLibrary(model).SelectMany(file => TypeUse.In(model, file)))
        {
            if (use.From is { } from && use.IsOf(Layers.Library))
            {
                arrows.TryAdd((from, use.To), new Arrow(from, use.To, use.At));
            }
        }

        return [.. arrows.Values];
    }

    /// <summary>Uses of a higher layer, and of one backend by another.</summary>
    public static IEnumerable<Arrow> Upward(IEnumerable<Arrow> arrows) =>
        from arrow in arrows
        where arrow.FromPart.Length > 0 && arrow.ToPart.Length > 0 && arrow.FromPart != arrow.ToPart
        where Layers.Height(arrow.FromPart) < Layers.Height(arrow.ToPart) ||
            (Layers.IsBackend(arrow.FromPart) && Layers.IsBackend(arrow.ToPart))
        select arrow;

    /// <summary>Arrows between two parts of one layer that use each other, the backends aside.</summary>
    public static IEnumerable<Arrow> Circular(IReadOnlyCollection<Arrow> arrows)
    {
        Arrow[] level = [.. arrows.Where(arrow => arrow.FromPart != arrow.ToPart && !Layers.IsBackend(arrow.FromPart) &&
            Layers.Height(arrow.FromPart) == Layers.Height(arrow.ToPart))];
        ILookup<string, string> next = level.ToLookup(
            arrow => arrow.FromPart, arrow => arrow.ToPart, StringComparer.Ordinal);
        return level.Where(arrow => Reaches(
            arrow.ToPart, arrow.FromPart, next, new HashSet<string>(StringComparer.Ordinal)));
    }

    /// <summary>Types of the library that have no layer, and names in the tables that no type has.</summary>
    public static IEnumerable<Offence> WithoutLayer(SourceModel model)
    {
        HashSet<string> names = new(StringComparer.Ordinal);
        foreach (SourceFile file in InLibrary(model))
        {
            foreach (INamedTypeSymbol type in Declared(file, model.Of(file.Tree)))
            {
                names.Add(type.Name);
                if (Layers.PartOf(type) is null) yield return file.At(1, $"{type.Name} has no layer: see Layers.cs");
            }
        }

        foreach (string name in Layers.Tabled.Where(name => !names.Contains(name)))
        {
            yield return new Offence("tests/Spate.RepoTests/Rules/Layers.cs", 1, $"no type is called {name}");
        }
    }

    private static IEnumerable<SourceFile> InLibrary(SourceModel model) =>
        model.Files.Where(file => file.IsUnder(Layers.Library));

    private static IEnumerable<INamedTypeSymbol> Declared(SourceFile file, SemanticModel semantics) =>
        file.Root.DescendantNodes(node => node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax)
            .Where(node => node is BaseTypeDeclarationSyntax or DelegateDeclarationSyntax)
            .Select(node => (INamedTypeSymbol)semantics.GetDeclaredSymbol(node)!);

    internal static bool Reaches(string from, string to, ILookup<string, string> next, HashSet<string> seen) =>
        from == to || (seen.Add(from) && next[from].Any(part => Reaches(part, to, next, seen)));

    private sealed class PairComparer : IEqualityComparer<(INamedTypeSymbol From, INamedTypeSymbol To)>
    {
        public static readonly PairComparer Instance = new();

        public bool Equals(
            (INamedTypeSymbol From, INamedTypeSymbol To) x, (INamedTypeSymbol From, INamedTypeSymbol To) y) =>
            SymbolEqualityComparer.Default.Equals(x.From, y.From) && SymbolEqualityComparer.Default.Equals(x.To, y.To);

        public int GetHashCode((INamedTypeSymbol From, INamedTypeSymbol To) pair) => HashCode.Combine(
            SymbolEqualityComparer.Default.GetHashCode(pair.From), SymbolEqualityComparer.Default.GetHashCode(pair.To));
    }
}
