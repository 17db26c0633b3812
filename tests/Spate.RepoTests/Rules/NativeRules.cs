using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>Where imports and unsafe code may be, and that unsafe code says why it is sound.</summary>
public static class NativeRules
{
    private const string Library = "src/Spate";
    private const string Interop = "src/Spate/Interop";
    private const string Reason = "SAFETY:";

    private static readonly string[] InteropFolders =
        [Interop, "src/Spate.HostTuning/Interop", "src/Spate.Measurement/Interop"];

    private static readonly string[] Allowed =
    [
        .. InteropFolders, "src/Spate/Buffers", "src/Spate/Sockets", "src/Spate/Waiting", "tests", "benchmarks",
    ];

    public static IEnumerable<Offence> ImportOutsideInterop(SourceFile file)
    {
        // A test may need a call that the product does not make: setns, to work inside a namespace of its own.
        if (file.IsUnderAny(InteropFolders) || file.IsUnder("tests")) yield break;
        foreach (AttributeSyntax attribute in file.Root.DescendantNodes().OfType<AttributeSyntax>())
        {
            if (SyntaxNames.Last(attribute.Name) is "DllImport" or "LibraryImport" or
                "DllImportAttribute" or "LibraryImportAttribute")
            {
                yield return file.At(attribute, "import outside a folder Interop");
            }
        }
    }

    public static IEnumerable<Offence> UnsafeOutsideItsFolders(SourceFile file)
    {
        if (file.IsUnderAny(Allowed)) yield break;
        foreach (SyntaxToken token in file.Root.DescendantTokens().Where(t => t.IsKind(SyntaxKind.UnsafeKeyword)))
        {
            yield return file.At(token, "unsafe outside Interop, Buffers, Sockets and Waiting of the library");
        }
    }

    public static IEnumerable<Offence> UnsafeWithoutReason(SourceFile file)
    {
        foreach (SyntaxNode node in file.Root.DescendantNodes())
        {
            if (node is UnsafeStatementSyntax)
            {
                if (!HasReason(node)) yield return file.At(node, $"unsafe block without a // {Reason} comment");
            }
            else if (file.IsUnder(Library) && !file.IsUnder(Interop) && IsUnsafeCode(node) && !HasReasonAround(node))
            {
                yield return file.At(node, $"unsafe code without a // {Reason} comment on it, in it or on its type");
            }
        }
    }

    /// <summary>A method or a type that is unsafe as a whole; a signature alone dereferences nothing.</summary>
    private static bool IsUnsafeCode(SyntaxNode node) => node switch
    {
        BaseMethodDeclarationSyntax method =>
            IsUnsafe(method.Modifiers) && (method.Body is not null || method.ExpressionBody is not null),
        LocalFunctionStatementSyntax local => IsUnsafe(local.Modifiers),
        BasePropertyDeclarationSyntax property => IsUnsafe(property.Modifiers),
        TypeDeclarationSyntax type => IsUnsafe(type.Modifiers) && type is not InterfaceDeclarationSyntax,
        _ => false,
    };

    private static bool IsUnsafe(SyntaxTokenList modifiers) => modifiers.Any(SyntaxKind.UnsafeKeyword);

    private static bool HasReasonAround(SyntaxNode node) =>
        HasReason(node) || node.Ancestors().OfType<TypeDeclarationSyntax>().Any(HasReasonAbove);

    private static bool HasReasonAbove(SyntaxNode node) =>
        node.GetLeadingTrivia().ToFullString().Contains(Reason, StringComparison.Ordinal);

    private static bool HasReason(SyntaxNode node) =>
        node.DescendantTrivia(descendIntoTrivia: false).Any(trivia =>
            (trivia.IsKind(SyntaxKind.SingleLineCommentTrivia) || trivia.IsKind(SyntaxKind.MultiLineCommentTrivia) ||
             trivia.IsKind(SyntaxKind.SingleLineDocumentationCommentTrivia)) &&
            trivia.ToFullString().Contains(Reason, StringComparison.Ordinal));
}
