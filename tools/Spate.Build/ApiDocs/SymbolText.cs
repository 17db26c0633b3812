using System.Text;
using Microsoft.CodeAnalysis;

namespace Spate.Build.ApiDocs;

/// <summary>Types and members as C# spells them.</summary>
internal static class SymbolText
{
    private const SymbolDisplayMiscellaneousOptions Spelling =
        SymbolDisplayMiscellaneousOptions.UseSpecialTypes | SymbolDisplayMiscellaneousOptions.AllowDefaultLiteral
        | SymbolDisplayMiscellaneousOptions.EscapeKeywordIdentifiers
        | SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier;

    private static readonly SymbolDisplayFormat Short = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypes,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters,
        miscellaneousOptions: Spelling);

    private static readonly SymbolDisplayFormat Heading = Short.WithParameterOptions(
        SymbolDisplayParameterOptions.IncludeType).WithMemberOptions(SymbolDisplayMemberOptions.IncludeParameters);

    private static readonly SymbolDisplayFormat Declared = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypes,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters
            | SymbolDisplayGenericsOptions.IncludeTypeConstraints | SymbolDisplayGenericsOptions.IncludeVariance,
        memberOptions: SymbolDisplayMemberOptions.IncludeParameters | SymbolDisplayMemberOptions.IncludeType
            | SymbolDisplayMemberOptions.IncludeModifiers | SymbolDisplayMemberOptions.IncludeAccessibility
            | SymbolDisplayMemberOptions.IncludeConstantValue | SymbolDisplayMemberOptions.IncludeRef,
        delegateStyle: SymbolDisplayDelegateStyle.NameAndSignature,
        kindOptions: SymbolDisplayKindOptions.IncludeTypeKeyword,
        parameterOptions: SymbolDisplayParameterOptions.IncludeExtensionThis
            | SymbolDisplayParameterOptions.IncludeModifiers | SymbolDisplayParameterOptions.IncludeType
            | SymbolDisplayParameterOptions.IncludeName | SymbolDisplayParameterOptions.IncludeDefaultValue,
        miscellaneousOptions: Spelling);

    public static string NameOf(INamedTypeSymbol type) => type.ToDisplayString(Short);

    public static bool IsVisible(ISymbol symbol) => symbol.DeclaredAccessibility is
        Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal;

    /// <summary>The members that a user sees and somebody has written: in order of name and parameters.</summary>
    public static IEnumerable<ISymbol> MembersOf(INamedTypeSymbol type) => type.TypeKind == TypeKind.Delegate
        ? []
        : type.GetMembers().Where(member => IsVisible(member) && IsWritten(member))
            .OrderBy(member => type.TypeKind == TypeKind.Enum ? "" : HeadingOf(member), StringComparer.Ordinal);

    /// <summary>The heading of a member, which names its parameters' types: no two of a type are alike.</summary>
    public static string HeadingOf(ISymbol member) => member switch
    {
        IMethodSymbol or IPropertySymbol { IsIndexer: true } => member.ToDisplayString(Heading),
        _ => member.Name,
    };

    /// <summary>The anchor that forges make of a heading: lower case, hyphens for blanks, no punctuation.</summary>
    public static string SlugOf(string heading)
    {
        var slug = new StringBuilder();
        foreach (char c in heading)
        {
            if (char.IsLetterOrDigit(c) || c is '-' or '_') slug.Append(char.ToLowerInvariant(c));
            else if (c == ' ') slug.Append('-');
        }

        return slug.ToString();
    }

    public static string DeclarationOf(ISymbol symbol) => symbol switch
    {
        INamedTypeSymbol { TypeKind: TypeKind.Delegate } type => $"public {type.ToDisplayString(Declared)};",
        INamedTypeSymbol type => TypeLine(type),
        IPropertySymbol property =>
            $"{property.ToDisplayString(Declared)} {{ {Accessor(property.GetMethod)}{Accessor(property.SetMethod)}}}",
        _ => symbol.ToDisplayString(Declared) + ";",
    };

    private static string Accessor(IMethodSymbol? accessor) => accessor is null || !IsVisible(accessor) ? ""
        : accessor.MethodKind == MethodKind.PropertyGet ? "get; "
        : accessor.IsInitOnly ? "init; " : "set; ";

    private static string TypeLine(INamedTypeSymbol type)
    {
        List<string> words = ["public"];
        if (type.IsStatic) words.Add("static");
        if (type is { TypeKind: TypeKind.Class, IsStatic: false, IsAbstract: true }) words.Add("abstract");
        if (type is { TypeKind: TypeKind.Class, IsStatic: false, IsSealed: true }) words.Add("sealed");
        if (type is { TypeKind: TypeKind.Struct, IsReadOnly: true }) words.Add("readonly");
        if (type.IsRefLikeType) words.Add("ref");
        if (type.IsRecord) words.Add("record");
        if (!type.IsRecord || type.IsValueType) words.Add(type.TypeKind.ToString().ToLowerInvariant());
        words.Add(type.ToDisplayString(Short));
        string[] bases = [.. Bases(type).Select(one => one.ToDisplayString(Short))];
        return string.Join(' ', words) + (bases.Length > 0 ? $" : {string.Join(", ", bases)}" : "");
    }

    private static IEnumerable<INamedTypeSymbol> Bases(INamedTypeSymbol type)
    {
        if (type is { TypeKind: TypeKind.Class, BaseType: { SpecialType: not SpecialType.System_Object } parent })
        {
            yield return parent;
        }

        // Every record is comparable with itself: the word record says so.
        foreach (INamedTypeSymbol face in type.Interfaces.OrderBy(face => face.Name, StringComparer.Ordinal))
        {
            if (IsVisible(face) && !(type.IsRecord && face.Name == nameof(IEquatable<>))) yield return face;
        }
    }

    // The compiler's own members of records and delegates have no documentation; equality needs none.
    private static bool IsWritten(ISymbol member) => member switch
    {
        INamedTypeSymbol => false,
        IMethodSymbol { MethodKind: MethodKind.Constructor } constructor =>
            constructor.Parameters.Length > 0 && !(constructor.ContainingType.IsRecord && IsCopy(constructor)),
        IMethodSymbol { MethodKind: MethodKind.Ordinary } method =>
            method.Name is not ("Equals" or "GetHashCode") && !(method.ContainingType.IsRecord
                && method.Name is "ToString" or "Deconstruct" or "PrintMembers"),
        IMethodSymbol { MethodKind: MethodKind.UserDefinedOperator or MethodKind.Conversion } method =>
            !method.ContainingType.IsRecord,
        IMethodSymbol => false,
        IPropertySymbol { Name: "EqualityContract" } => false,
        _ => true,
    };

    private static bool IsCopy(IMethodSymbol constructor) =>
        constructor.Parameters is [{ } only]
        && SymbolEqualityComparer.Default.Equals(only.Type, constructor.ContainingType);
}
