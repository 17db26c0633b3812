using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

internal static class SyntaxNames
{
    /// <summary>The last part of a name or of a member access: Sleep of System.Threading.Thread.Sleep.</summary>
    public static string Last(ExpressionSyntax name) => name switch
    {
        QualifiedNameSyntax qualified => qualified.Right.Identifier.ValueText,
        AliasQualifiedNameSyntax alias => alias.Name.Identifier.ValueText,
        SimpleNameSyntax simple => simple.Identifier.ValueText,
        MemberAccessExpressionSyntax member => member.Name.Identifier.ValueText,
        _ => name.ToString(),
    };
}
