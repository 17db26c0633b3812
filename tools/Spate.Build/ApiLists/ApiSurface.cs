using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Spate.Build.ApiLists;

/// <summary>
/// The public surface of an assembly as text: one type or member a line, as C# spells it, after the name of its type.
/// Members that the compiler makes for every record are left out: the word record says them. A positional record has a
/// constructor and a Deconstruct of its own, which are listed.
/// </summary>
internal static class ApiSurface
{
    private const SymbolDisplayMiscellaneousOptions Spelling =
        SymbolDisplayMiscellaneousOptions.UseSpecialTypes |
        SymbolDisplayMiscellaneousOptions.AllowDefaultLiteral |
        SymbolDisplayMiscellaneousOptions.EscapeKeywordIdentifiers |
        SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier;

    private static readonly SymbolDisplayFormat Full = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypesAndNamespaces,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters,
        miscellaneousOptions: Spelling);

    private static readonly SymbolDisplayFormat Short = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypes,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters,
        miscellaneousOptions: Spelling);

    private static readonly SymbolDisplayFormat Declared = new(
        typeQualificationStyle: SymbolDisplayTypeQualificationStyle.NameAndContainingTypes,
        genericsOptions: SymbolDisplayGenericsOptions.IncludeTypeParameters |
            SymbolDisplayGenericsOptions.IncludeTypeConstraints | SymbolDisplayGenericsOptions.IncludeVariance,
        memberOptions: SymbolDisplayMemberOptions.IncludeParameters | SymbolDisplayMemberOptions.IncludeType |
            SymbolDisplayMemberOptions.IncludeModifiers | SymbolDisplayMemberOptions.IncludeAccessibility |
            SymbolDisplayMemberOptions.IncludeConstantValue | SymbolDisplayMemberOptions.IncludeRef,
        delegateStyle: SymbolDisplayDelegateStyle.NameAndSignature,
        extensionMethodStyle: SymbolDisplayExtensionMethodStyle.StaticMethod,
        parameterOptions: SymbolDisplayParameterOptions.IncludeExtensionThis |
            SymbolDisplayParameterOptions.IncludeModifiers | SymbolDisplayParameterOptions.IncludeType |
            SymbolDisplayParameterOptions.IncludeName | SymbolDisplayParameterOptions.IncludeDefaultValue,
        miscellaneousOptions: Spelling);

    private static readonly SymbolDisplayFormat DeclaredType =
        Declared.WithKindOptions(SymbolDisplayKindOptions.IncludeTypeKeyword);

    /// <summary>Attributes that change the meaning of a call, so a user must know them.</summary>
    private static readonly string[] ListedAttributes =
    [
        "Obsolete", "Flags", "Experimental", "SupportedOSPlatform", "UnsupportedOSPlatform", "DoesNotReturn",
        "NotNullWhen", "UnscopedRef", "RequiresUnreferencedCode", "RequiresDynamicCode", "InlineArray",
    ];

    /// <summary>The lines of all types, in ordinal order of type, member and spelling.</summary>
    public static IEnumerable<string> Of(IAssemblySymbol assembly) =>
        AllTypes(assembly.GlobalNamespace)
            .Where(IsVisible)
            .OrderBy(type => type.ToDisplayString(Full), StringComparer.Ordinal)
            .SelectMany(type => MembersOf(type)
                .Prepend(TypeLine(type))
                .Select(line => $"{type.ToDisplayString(Full)}: {line}"));

    private static IEnumerable<INamedTypeSymbol> AllTypes(INamespaceOrTypeSymbol container) =>
        container.GetMembers().OfType<INamespaceOrTypeSymbol>().SelectMany(member =>
            member is INamedTypeSymbol type ? AllTypes(type).Prepend(type) : AllTypes(member));

    private static bool IsVisible(ISymbol symbol) =>
        symbol.DeclaredAccessibility is
            Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal &&
        (symbol.ContainingType is not { } outer || IsVisible(outer));

    private static IEnumerable<string> MembersOf(INamedTypeSymbol type)
    {
        if (type.TypeKind == TypeKind.Delegate) return [];
        return type.GetMembers()
            .Where(member => IsVisible(member) && member is not INamedTypeSymbol && IsListed(member))
            .Select(member => (member.Name, Line: MemberLine(member)))
            .OrderBy(member => member.Name, StringComparer.Ordinal)
            .ThenBy(member => member.Line, StringComparer.Ordinal)
            .Select(member => member.Line);
    }

    private static bool IsListed(ISymbol member) => member switch
    {
        IMethodSymbol { MethodKind: MethodKind.Constructor } => !member.IsImplicitlyDeclared && !IsGenerated(member),
        IMethodSymbol method => method.AssociatedSymbol is null
            && (!IsGenerated(method) || method.Name == "Deconstruct")
            && method.MethodKind is not MethodKind.StaticConstructor,
        IPropertySymbol { Name: "EqualityContract" } => false,
        IFieldSymbol => member.Name != WellKnownMemberNames.EnumBackingFieldName,
        _ => true,
    };

    private static bool IsGenerated(ISymbol member) =>
        member.GetAttributes().Any(one => one.AttributeClass!.Name == nameof(CompilerGeneratedAttribute));

    /// <summary>Assemblies do not mark record structs, but nobody can write this operator for a record.</summary>
    private static bool IsRecord(INamedTypeSymbol type) =>
        type.IsRecord || type.GetMembers(WellKnownMemberNames.EqualityOperatorName).Any(IsGenerated);

    private static string MemberLine(ISymbol member)
    {
        string text = Attributes(member) + member.ToDisplayString(Declared);
        if (member is not IPropertySymbol property) return text + ";";
        return $"{text} {{ {Accessor(property.GetMethod, property)}{Accessor(property.SetMethod, property)}}}";
    }

    private static string Accessor(IMethodSymbol? accessor, IPropertySymbol property)
    {
        if (accessor is null || !IsVisible(accessor)) return "";
        string word = accessor.MethodKind == MethodKind.PropertyGet ? "get" : accessor.IsInitOnly ? "init" : "set";
        bool isNarrower = accessor.DeclaredAccessibility != property.DeclaredAccessibility;
        return (isNarrower ? "protected " : "") + word + "; ";
    }

    private static string TypeLine(INamedTypeSymbol type)
    {
        string attributes = Attributes(type);
        if (type.TypeKind == TypeKind.Delegate) return $"{attributes}public {type.ToDisplayString(DeclaredType)};";
        List<string> words = [type.DeclaredAccessibility == Accessibility.Public ? "public" : "protected"];
        if (type.IsStatic) words.Add("static");
        if (type is { TypeKind: TypeKind.Class, IsStatic: false })
        {
            if (type.IsAbstract) words.Add("abstract");
            if (type.IsSealed) words.Add("sealed");
        }

        if (type is { TypeKind: TypeKind.Struct, IsReadOnly: true }) words.Add("readonly");
        if (type.IsRefLikeType) words.Add("ref");
        if (IsRecord(type)) words.Add("record");
        if (!type.IsRecord || type.IsValueType) words.Add(type.TypeKind.ToString().ToLowerInvariant());
        words.Add(type.ToDisplayString(Short.WithGenericsOptions(Declared.GenericsOptions)));
        string[] bases = [.. BasesOf(type)];
        return attributes + string.Join(' ', words) + (bases.Length > 0 ? $" : {string.Join(", ", bases)}" : "");
    }

    private static IEnumerable<string> BasesOf(INamedTypeSymbol type)
    {
        if (type.EnumUnderlyingType is { SpecialType: not SpecialType.System_Int32 } number)
        {
            yield return number.ToDisplayString(Short);
        }
        if (type is { TypeKind: TypeKind.Class, BaseType: { SpecialType: not SpecialType.System_Object } parent })
        {
            yield return parent.ToDisplayString(Short);
        }

        // An assembly also lists the bases of the written interfaces.
        IEnumerable<INamedTypeSymbol> written = type.Interfaces.Where(face => IsVisible(face)
            && !type.Interfaces.Any(other => other.AllInterfaces.Contains(face, SymbolEqualityComparer.Default)));
        foreach (INamedTypeSymbol face in written.OrderBy(face => face.Name, StringComparer.Ordinal))
        {
            yield return face.ToDisplayString(Short);
        }
    }

    private static string Attributes(ISymbol symbol)
    {
        string text = "";
        foreach (AttributeData attribute in symbol.GetAttributes())
        {
            string name = attribute.AttributeClass!.Name.Replace("Attribute", "", StringComparison.Ordinal);
            if (!ListedAttributes.Contains(name)) continue;
            string values = string.Join(", ", attribute.ConstructorArguments.Select(value => value.ToCSharpString()));
            text += values.Length > 0 ? $"[{name}({values})] " : $"[{name}] ";
        }

        return text;
    }
}
