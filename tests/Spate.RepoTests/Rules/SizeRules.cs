using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>How long a file, a method and a line may be.</summary>
public static class SizeRules
{
    public const int MaxFileLines = 400;
    public const int MaxMethodLines = 70;
    public const int MaxLineChars = 120;

    public static IEnumerable<Offence> LongFile(SourceFile file)
    {
        if (file.Lines.Length > MaxFileLines)
        {
            yield return file.At(MaxFileLines + 1, $"{file.Lines.Length} lines, at most {MaxFileLines}");
        }
    }

    public static IEnumerable<Offence> LongLine(SourceFile file)
    {
        for (int i = 0; i < file.Lines.Length; i++)
        {
            int chars = file.Lines[i].Length;
            if (chars > MaxLineChars) yield return file.At(i + 1, $"{chars} characters, at most {MaxLineChars}");
        }
    }

    public static IEnumerable<Offence> LongMethod(SourceFile file)
    {
        foreach (SyntaxNode node in file.Root.DescendantNodes().Where(IsMethod))
        {
            int lines = LinesBetween(Start(node), node);
            if (lines <= MaxMethodLines) continue;
            yield return file.At(node, $"method of {lines} lines, at most {MaxMethodLines}");
        }

        GlobalStatementSyntax[] program = [.. file.Root.ChildNodes().OfType<GlobalStatementSyntax>()];
        if (program.Length > 0 && LinesBetween(program[0], program[^1]) is var length and > MaxMethodLines)
        {
            yield return file.At(program[0], $"top-level program of {length} lines, at most {MaxMethodLines}");
        }
    }

    private static bool IsMethod(SyntaxNode node) => node is
        BaseMethodDeclarationSyntax or LocalFunctionStatementSyntax or BasePropertyDeclarationSyntax;

    // A theory's rows are data, not code: a method starts behind its attributes.
    private static SyntaxNodeOrToken Start(SyntaxNode node) => node
        .ChildNodesAndTokens().First(child => !child.IsKind(SyntaxKind.AttributeList));

    private static int LinesBetween(SyntaxNodeOrToken first, SyntaxNode last) =>
        last.GetLocation().GetLineSpan().EndLinePosition.Line -
        first.GetLocation()!.GetLineSpan().StartLinePosition.Line + 1;
}
