using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Spate.Build.Mutants;

/// <summary>A place that a mutant can change: the span of a file, and the text that replaces it.</summary>
internal sealed record Site(SiteSymbol Symbol, MutationKind Kind, TextSpan Span, string Text, string Replacement)
{
    public string ApplyTo(string source) =>
        string.Concat(source.AsSpan(0, Span.Start), Replacement, source.AsSpan(Span.End));
}

/// <summary>Finds the sites in the bodies of methods, properties and constructors of a file.</summary>
internal static class Sites
{
    public static IEnumerable<MemberDeclarationSyntax> MembersOf(SyntaxNode root) => root
        .DescendantNodes(node => node is not (BaseMethodDeclarationSyntax or BasePropertyDeclarationSyntax))
        .OfType<MemberDeclarationSyntax>()
        .Where(member => member is BaseMethodDeclarationSyntax or BasePropertyDeclarationSyntax);

    public static IEnumerable<Site> Of(MemberDeclarationSyntax member)
    {
        var symbol = SiteSymbol.Of(member);
        HashSet<(MutationKind, TextSpan)> seen = [];
        foreach (SyntaxNode node in member.DescendantNodes(node => !IsFixed(node)))
        {
            if (IsFixed(node)) continue;
            foreach ((MutationKind kind, SyntaxNode changed, string replacement) in ChangesOf(node))
            {
                if (!seen.Add((kind, changed.Span))) continue;
                yield return new Site(symbol, kind, changed.Span, OneLine(changed), replacement);
            }
        }
    }

    private static IEnumerable<(MutationKind, SyntaxNode, string)> ChangesOf(SyntaxNode node)
    {
        foreach (ExpressionSyntax condition in ConditionsOf(node).Where(CanBeNegated))
        {
            yield return (MutationKind.Condition, condition, $"!({condition})");
        }

        if (node is BinaryExpressionSyntax comparison && MovedBound(comparison) is { } moved)
        {
            yield return (MutationKind.Bound, comparison, moved);
        }

        if (node is ExpressionStatementSyntax call && CanBeLeftOut(call.Expression))
        {
            yield return (MutationKind.Call, call, ";");
        }
    }

    private static IEnumerable<ExpressionSyntax> ConditionsOf(SyntaxNode node) => node switch
    {
        IfStatementSyntax one => [one.Condition],
        WhileStatementSyntax one => [one.Condition],
        DoStatementSyntax one => [one.Condition],
        ConditionalExpressionSyntax one => [one.Condition],
        BinaryExpressionSyntax one when one.IsKind(SyntaxKind.LogicalAndExpression) => [one.Left, one.Right],
        _ => [],
    };

    // A variable that a pattern or an argument declares is not assigned when the condition has turned.
    private static bool CanBeNegated(ExpressionSyntax condition)
    {
        ExpressionSyntax inner = condition;
        while (inner is ParenthesizedExpressionSyntax parentheses) inner = parentheses.Expression;
        if (inner is LiteralExpressionSyntax) return false;
        bool isJoined = inner.IsKind(SyntaxKind.LogicalAndExpression) || inner.IsKind(SyntaxKind.LogicalOrExpression);
        return !condition.DescendantNodesAndSelf().Any(node => node is VariableDesignationSyntax
            && (isJoined || node.Parent is PatternSyntax));
    }

    private static string? MovedBound(BinaryExpressionSyntax comparison)
    {
        string? word = comparison.Kind() switch
        {
            SyntaxKind.LessThanExpression => "<=",
            SyntaxKind.GreaterThanOrEqualExpression => ">",
            _ => null,
        };
        if (word is not null) return Replace(comparison, comparison.OperatorToken.Span, word);
        if (comparison.Kind() is not (SyntaxKind.LessThanOrEqualExpression or SyntaxKind.GreaterThanExpression))
        {
            return null;
        }

        return Array.Find([comparison.Right, comparison.Left], IsInteger) is { } literal
            ? Replace(comparison, literal.Span, $"({literal} + 1)")
            : null;
    }

    private static bool IsInteger(ExpressionSyntax side) =>
        side is LiteralExpressionSyntax { Token.Value: int or uint or long or ulong };

    private static string Replace(SyntaxNode node, TextSpan part, string text) =>
        node.ToString().Remove(part.Start - node.SpanStart, part.Length).Insert(part.Start - node.SpanStart, text);

    // Without a call that assigns an out argument, the code after it does not compile.
    private static bool CanBeLeftOut(ExpressionSyntax expression)
    {
        if (expression is AwaitExpressionSyntax wait) expression = wait.Expression;
        if (expression is ConditionalAccessExpressionSyntax access) expression = access.WhenNotNull;
        return expression is InvocationExpressionSyntax call
            && !call.DescendantNodes().OfType<ArgumentSyntax>()
                .Any(argument => argument.RefKindKeyword.IsKind(SyntaxKind.OutKeyword))
            && call.Expression is not MemberAccessExpressionSyntax
            {
                Expression: IdentifierNameSyntax { Identifier.ValueText: "GC" or "Debug" },
            };
    }

    // Constants are compared at compile time, and an assertion of the debug build is no behaviour.
    private static bool IsFixed(SyntaxNode node) => node switch
    {
        AttributeListSyntax or CaseSwitchLabelSyntax or PatternSyntax or ParameterListSyntax => true,
        LocalDeclarationStatementSyntax { IsConst: true } => true,
        EqualsValueClauseSyntax { Parent: PropertyDeclarationSyntax } => true,
        InvocationExpressionSyntax call => call.Expression.ToString() == "Debug.Assert",
        _ => false,
    };

    private static string OneLine(SyntaxNode node) =>
        string.Join(' ', node.ToString().Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
}
