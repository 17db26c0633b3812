using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>Lines of the tool that say what to do name where to read more.</summary>
public static partial class NoticeRules
{
    private const string AnchorClass = "DocsAnchor";
    private const string NoAnchor = "None";

    /// <summary>
    /// Texts that were made elsewhere and are shown as they are: refusals and lists of notices name their headings
    /// where they are made; the others ask for nothing.
    /// </summary>
    private static readonly HashSet<string> ShownAsTheyAre = new(StringComparer.Ordinal)
    {
        "src/Spate.Cli/Bench/BenchRunner.cs: BenchText.Interruption",
        "src/Spate.Cli/CommandLine.cs: refusal.Message",
        "src/Spate.Cli/Iperf/Iperf2/Iperf2Command.cs: notice",
        "src/Spate.Cli/Iperf/Iperf3/Iperf3Command.cs: notice",
        "src/Spate.Cli/Iperf/Iperf3/Iperf3Command.cs: message.Text",
        "src/Spate.Cli/Test/TestCommand.cs: notice",
        "src/Spate.Cli/Send/SendCommand.cs: notice",
        "src/Spate.Cli/Traffic/TrafficSetup.cs: line",
    };

    /// <summary>
    /// Lines for stderr that say what to do and name no heading. What would help is told by its words, so the rule
    /// finds the usual remedies only; that every refusal thinks of one is the compiler's matter. A notice whose words
    /// come from elsewhere could say anything, so it names a heading too, or is in the list above.
    /// </summary>
    public static IEnumerable<Offence> WithoutHeading(SourceFile code) =>
        code.IsUnder("src/Spate.Cli")
            ? from call in code.Root.DescendantNodes().OfType<InvocationExpressionSyntax>()
              let name = call.Expression.DescendantTokens().Last().ValueText
              where name is "Notice" or "Refused" or "Add" && !NamesHeading(call)
              where !IsPassedOn(call)
              let fault = Remedy().IsMatch(TextOf(call)) ? "a line with a remedy"
                  : name is "Notice" && IsFromElsewhere(call, code) ? "a notice with words from elsewhere"
                  : null
              where fault is not null
              select code.At(call, $"{fault} and without a heading of {AnchorClass}")
            : [];

    // An end of iperf hands its notice to an observer. The command's observer shows it, and is in the list above.
    private static bool IsPassedOn(InvocationExpressionSyntax call) =>
        call.Expression is MemberAccessExpressionSyntax
        {
            Expression: IdentifierNameSyntax { Identifier.ValueText: "observer" or "_observer" or "inner" },
        };

    private static bool NamesHeading(InvocationExpressionSyntax call) =>
        call.ArgumentList.DescendantNodes().OfType<MemberAccessExpressionSyntax>().Any(
            member => member.Expression.ToString() == AnchorClass && member.Name.ToString() != NoAnchor);

    private static bool IsFromElsewhere(InvocationExpressionSyntax call, SourceFile code)
    {
        ExpressionSyntax text = call.ArgumentList.Arguments[0].Expression;
        bool isWrittenHere =
            text is LiteralExpressionSyntax or InterpolatedStringExpressionSyntax or BinaryExpressionSyntax;
        return isWrittenHere
            ? text.DescendantNodesAndSelf().OfType<InterpolationSyntax>().Any(
                hole => Explanation().IsMatch(hole.Expression.ToString()))
            : !ShownAsTheyAre.Contains($"{code.Path}: {text}");
    }

    private static string TextOf(InvocationExpressionSyntax call) => string.Concat(
        call.ArgumentList.DescendantTokens()
            .Where(token => token.RawKind is
                (int)SyntaxKind.StringLiteralToken or (int)SyntaxKind.InterpolatedStringTextToken)
            .Select(token => token.ValueText));

    [GeneratedRegex(
        @"\b(?:sysctl|ulimit|raise|as root|needs root|without root|firewall|install|name a|name another)\b|--size mtu"
        + "|--rate N",
        RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Remedy();

    // What a hole is called that takes a whole sentence.
    [GeneratedRegex("(?:[Rr]eason|[Mm]essage|[Aa]dvice)$", RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Explanation();
}
