using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.Build.Mutants;

/// <summary>The member that holds a site: namespace, type and name; the parameters distinguish overloads.</summary>
internal sealed record SiteSymbol(string Namespace, string Name, string Parameters)
{
    public string Full => Name + Parameters;

    public static SiteSymbol Of(MemberDeclarationSyntax member)
    {
        string space = string.Join('.',
            member.Ancestors().OfType<BaseNamespaceDeclarationSyntax>().Reverse().Select(one => one.Name.ToString()));
        IEnumerable<string> types = member.Ancestors().OfType<TypeDeclarationSyntax>().Reverse()
            .Select(type => type.Identifier.ValueText + type.TypeParameterList);
        string[] parts = [.. types, NameOf(member)];
        return new SiteSymbol(space, string.Join('.', [space, .. parts]).TrimStart('.'), ParametersOf(member));
    }

    private static string NameOf(MemberDeclarationSyntax member) => member switch
    {
        MethodDeclarationSyntax method => method.ExplicitInterfaceSpecifier + method.Identifier.ValueText,
        ConstructorDeclarationSyntax { Modifiers: var words } =>
            words.Any(word => word.ValueText == "static") ? "static constructor" : "constructor",
        DestructorDeclarationSyntax => "finalizer",
        OperatorDeclarationSyntax one => $"operator {one.OperatorToken.ValueText}",
        ConversionOperatorDeclarationSyntax one => $"operator {one.Type}",
        PropertyDeclarationSyntax one => one.ExplicitInterfaceSpecifier + one.Identifier.ValueText,
        EventDeclarationSyntax one => one.ExplicitInterfaceSpecifier + one.Identifier.ValueText,
        _ => "this[]",
    };

    private static string ParametersOf(MemberDeclarationSyntax member)
    {
        BaseParameterListSyntax? list = member switch
        {
            BaseMethodDeclarationSyntax method => method.ParameterList,
            IndexerDeclarationSyntax indexer => indexer.ParameterList,
            _ => null,
        };
        return list is null ? "" : $"({string.Join(", ", list.Parameters.Select(one => one.Type?.ToString() ?? ""))})";
    }
}
