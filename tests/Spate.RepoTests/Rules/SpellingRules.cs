using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>What has several spellings in C# has one here, where .editorconfig cannot hold it.</summary>
public static class SpellingRules
{
    private const string Interop = "src/Spate/Interop";

    /// <summary>What a processor can do is a fact about it, and a field of the reports.</summary>
    private static readonly string[] Facts = ["MaximumKilohertz", "MaximumFrequency"];

    /// <summary>A bound is MaxX or MinX, so that it is found under one letter. Native names keep theirs.</summary>
    public static IEnumerable<Offence> BoundOtherwiseNamed(SourceFile file) =>
        from name in DeclaredNames(file.Root)
        where !file.IsUnder(Interop) && !Facts.Contains(name.ValueText) && IsOtherBound(name)
        select file.At(name, $"{name.ValueText}: a bound is called MaxX or MinX");

    /// <summary>
    /// An if without else around one statement stands on one line where that fits, and has braces otherwise.
    /// </summary>
    public static IEnumerable<Offence> IfOtherwiseWritten(SourceFile file)
    {
        foreach (IfStatementSyntax node in file.Root.DescendantNodes().OfType<IfStatementSyntax>())
        {
            bool isOneLine = StartLine(node) == EndLine(node.Statement);
            if (node.Statement is BlockSyntax block)
            {
                if (node.Else is null && OneLine(node, block, file) is { Length: <= SizeRules.MaxLineChars })
                {
                    yield return file.At(node, "an if that fits on one line, on four");
                }
            }
            else if (!isOneLine)
            {
                yield return file.At(node, "an if over several lines without braces");
            }
        }
    }

    /// <summary>Constants and static readonly fields come before everything else in a type.</summary>
    public static IEnumerable<Offence> ConstantInMidType(SourceFile file) =>
        from type in file.Root.DescendantNodes().OfType<TypeDeclarationSyntax>()
        where !file.IsUnder(Interop)
        from member in type.Members.SkipWhile(IsConstant)
        where IsConstant(member)
        select file.At(member, "a constant after other members of its type");

    /// <summary>What inherits its documentation says nothing more above it.</summary>
    public static IEnumerable<Offence> CommentAboveInheritdoc(SourceFile file)
    {
        for (int i = 1; i < file.Lines.Length; i++)
        {
            if (!file.Lines[i].TrimStart().StartsWith("/// <inheritdoc/>", StringComparison.Ordinal)) continue;
            if (file.Lines[i - 1].TrimStart().StartsWith("//", StringComparison.Ordinal))
            {
                yield return file.At(i, "a comment above <inheritdoc/>: write it into the member, or a summary");
            }
        }
    }

    private static bool IsOtherBound(SyntaxToken name)
    {
        string text = name.ValueText;
        return Regex.IsMatch(text, "^(?!Is).*[a-z0-9](Max|Maximum|Most|Min|Minimum)$|^_?[Mm](aximum|inimum)[A-Z]",
            RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(10)) ||
            (name.Parent?.Parent?.Parent is FieldDeclarationSyntax field && IsConstant(field) &&
                Regex.IsMatch(text, "^_?([Mm]ost|[Ll]argest|[Ss]mallest|[Ll]east)[A-Z]",
                    RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(10)));
    }

    private static IEnumerable<SyntaxToken> DeclaredNames(SyntaxNode root) =>
        root.DescendantNodes().Select(node => node switch
        {
            VariableDeclaratorSyntax variable => variable.Identifier,
            ParameterSyntax parameter => parameter.Identifier,
            PropertyDeclarationSyntax property => property.Identifier,
            BaseTypeDeclarationSyntax type => type.Identifier,
            EnumMemberDeclarationSyntax member => member.Identifier,
            SingleVariableDesignationSyntax variable => variable.Identifier,
            ForEachStatementSyntax loop => loop.Identifier,
            _ => default,
        }).Where(token => token != default);

    private static bool IsConstant(MemberDeclarationSyntax member) => member is FieldDeclarationSyntax field &&
        (field.Modifiers.Any(SyntaxKind.ConstKeyword) ||
            (field.Modifiers.Any(SyntaxKind.StaticKeyword) && field.Modifiers.Any(SyntaxKind.ReadOnlyKeyword)));

    /// <summary>The if on one line; null where it holds more than one statement of one line.</summary>
    private static string? OneLine(IfStatementSyntax node, BlockSyntax block, SourceFile file)
    {
        if (block.Statements is not [{ } only] || !IsSimple(only) || node.Parent is ElseClauseSyntax) return null;
        if (block.DescendantTrivia().Any(trivia => trivia.IsKind(SyntaxKind.SingleLineCommentTrivia))) return null;
        if (StartLine(node) != EndLine(node.CloseParenToken) || StartLine(only) != EndLine(only)) return null;
        return $"{file.Lines[StartLine(node)]} {only}";
    }

    private static bool IsSimple(StatementSyntax statement) => statement is
        ExpressionStatementSyntax or ReturnStatementSyntax or ThrowStatementSyntax or BreakStatementSyntax or
        ContinueStatementSyntax or YieldStatementSyntax or GotoStatementSyntax;

    private static int StartLine(SyntaxNode node) => node.GetLocation().GetLineSpan().StartLinePosition.Line;

    private static int EndLine(SyntaxNode node) => node.GetLocation().GetLineSpan().EndLinePosition.Line;

    private static int EndLine(SyntaxToken token) => token.GetLocation().GetLineSpan().EndLinePosition.Line;
}
