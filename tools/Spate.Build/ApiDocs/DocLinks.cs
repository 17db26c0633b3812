using Microsoft.CodeAnalysis;

namespace Spate.Build.ApiDocs;

/// <summary>Where the pages say something about a type or a member.</summary>
internal sealed class DocLinks
{
    private readonly Dictionary<string, string> _targets = new(StringComparer.Ordinal);

    public DocLinks(IEnumerable<INamedTypeSymbol> types)
    {
        foreach (INamedTypeSymbol type in types)
        {
            string page = PageOf(type);
            _targets.TryAdd(type.GetDocumentationCommentId()!, page);
            foreach (ISymbol member in SymbolText.MembersOf(type))
            {
                string anchor = SymbolText.SlugOf(SymbolText.HeadingOf(member));
                _targets.TryAdd(
                    member.GetDocumentationCommentId()!, type.TypeKind == TypeKind.Enum ? page : $"{page}#{anchor}");
            }
        }
    }

    /// <summary>The file of a type: its name without type parameters, behind those of the types around it.</summary>
    public static string PageOf(INamedTypeSymbol type) => type.ContainingType is { } outer
        ? PageOf(outer)[..^".md".Length] + $".{type.Name}.md"
        : type.Name + ".md";

    /// <summary>The page and anchor for a documentation id; null for what is not ours.</summary>
    public string? Find(string id) => _targets.GetValueOrDefault(id);
}
