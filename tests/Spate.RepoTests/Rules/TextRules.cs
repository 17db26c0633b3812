using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>What must not stand in the text: conditional code, unfinished work, paths of one machine.</summary>
public static class TextRules
{
    // Put together from halves, so that this file does not break its own rules.
    public static readonly string[] UnfinishedWords = ["TO" + "DO", "FIX" + "ME"];
    public static readonly string[] MachinePaths = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "/tm" + "p/wt"];

    public static IEnumerable<Offence> ConditionalCompilation(SourceFile file) =>
        file.Root.DescendantTrivia()
            .Where(trivia => trivia.IsKind(SyntaxKind.IfDirectiveTrivia))
            .Select(trivia => file.At(trivia.GetLocation(), "#if: choose at run time, in one place"));

    public static IEnumerable<Offence> Unfinished(SourceFile file)
    {
        string words = string.Join('|', UnfinishedWords);
        foreach (Offence offence in Matches(file, $@"\b({words})\b", "unfinished work: do it or open an issue"))
        {
            yield return offence;
        }

        if (!file.IsCSharp) yield break;
        foreach (SyntaxNode node in file.Root.DescendantNodes())
        {
            if (node is IdentifierNameSyntax { Identifier.ValueText: nameof(NotImplementedException) } &&
                node.Parent is ObjectCreationExpressionSyntax or QualifiedNameSyntax)
            {
                yield return file.At(node, "NotImplementedException: unfinished work");
            }
        }
    }

    public static IEnumerable<Offence> Placeholder(SourceFile file)
    {
        if (file.FileName.StartsWith("Placeholder", StringComparison.OrdinalIgnoreCase))
        {
            yield return file.At(1, "a placeholder file");
            yield break;
        }

        if (!file.IsCSharp) yield break;
        foreach (TypeDeclarationSyntax type in file.Root.DescendantNodes().OfType<TypeDeclarationSyntax>())
        {
            if (type.Identifier.ValueText.StartsWith("Placeholder", StringComparison.OrdinalIgnoreCase))
            {
                yield return file.At(type.Identifier, "a placeholder type");
            }
        }
    }

    /// <summary>
    /// <c>using</c> directives in the order of <c>dotnet format</c>: namespaces, then static ones, then aliases; System
    /// first. The rest of the layout is checked by the build (IDE0055).
    /// </summary>
    public static IEnumerable<Offence> UnorderedImport(SourceFile file)
    {
        UsingDirectiveSyntax? before = null;
        foreach (UsingDirectiveSyntax import in file.Root.DescendantNodes(static node =>
            node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax).OfType<UsingDirectiveSyntax>())
        {
            if (before?.Parent == import.Parent && OrderOf(before!).CompareTo(OrderOf(import)) > 0)
            {
                yield return file.At(import, $"'{import}' belongs before '{before}'");
            }

            before = import;
        }
    }

    /// <summary>Lines end with a line feed, the last one too: the layout rule of the build checks neither.</summary>
    public static IEnumerable<Offence> LineEnd(SourceFile file)
    {
        if (file.Text.Contains('\r', StringComparison.Ordinal)) yield return file.At(1, "a carriage return");
        if (!file.Text.EndsWith('\n')) yield return file.At(file.Lines.Length, "no line feed at the end");
    }

    public static IEnumerable<Offence> MachinePath(SourceFile file)
    {
        string paths = string.Join('|', MachinePaths.Select(Regex.Escape));
        // Not preceded by a letter or a dot: ../home/page and example.org/home/ are no machine paths.
        return Matches(file, $@"(?<![\w.])({paths})", "a path of one machine");
    }

    // Segment by segment: a dot sorts before any letter, so that System.Net stands before System.Net.Sockets.
    private static (int Kind, bool IsOther, string Name) OrderOf(UsingDirectiveSyntax import)
    {
        if (import.Alias is not null) return (2, false, import.Alias.Name.ToString().ToUpperInvariant());

        string name = import.NamespaceOrType.ToString();
        bool isSystem = name is "System" || name.StartsWith("System.", StringComparison.Ordinal);
        int kind = import.StaticKeyword.IsKind(SyntaxKind.None) ? 0 : 1;
        return (kind, !isSystem, name.ToUpperInvariant().Replace('.', '!'));
    }

    private static IEnumerable<Offence> Matches(SourceFile file, string pattern, string message)
    {
        for (int i = 0; i < file.Lines.Length; i++)
        {
            Match match = Regex.Match(file.Lines[i], pattern, RegexOptions.CultureInvariant, TimeSpan.FromSeconds(10));
            if (match.Success) yield return file.At(i + 1, $"'{match.Value}': {message}");
        }
    }
}
