using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>How tests are named, and what they must not do.</summary>
public static class TestRules
{
    // Names of which a class must use one to be in a group that waits for others. Quoted: commands of the tool.
    private static readonly Dictionary<string, string[]> GroupNeeds = new(StringComparer.Ordinal)
    {
        ["ProcessWide"] =
        [
            "GC", "ProcessUse", "GetCurrentProcess", "Descriptors", "FromSocket", "SpateEvents", "SocketsCell",
            "CpuPlan", "WinsockModel", "RioModel",
        ],
        ["NamespaceLoad"] = ["NetworkNamespace", "TestPair"],
        ["QuietHost"] =
        [
            "HostSetting", "StartSpinner", "RunBeside", "\"bench\"", "\"tune\"",
            "BenchRound", "DesignRound", "DrainBench", "PeerRunner", "PingRound", "RelayRound", "SessionsSocket",
        ],
    };

    public static IEnumerable<Offence> NameWithoutUnderscore(SourceFile file) =>
        from method in file.Root.DescendantNodes().OfType<MethodDeclarationSyntax>()
        let name = method.Identifier.ValueText
        where TestAttributes(method).Any() && !name.Contains('_', StringComparison.Ordinal)
        select file.At(method.Identifier, $"{name} is not named Method_State_Outcome");

    /// <summary>A constant Skip hides a test for ever; Assert.SkipUnless looks each time, and says why.</summary>
    public static IEnumerable<Offence> ConstantSkip(SourceFile file) =>
        from method in file.Root.DescendantNodes().OfType<MethodDeclarationSyntax>()
        from attribute in TestAttributes(method)
        from argument in attribute.ArgumentList?.Arguments ?? default
        where argument.NameEquals?.Name.Identifier.ValueText == "Skip"
        select file.At(argument, "Skip on a test: use Assert.SkipUnless with the condition");

    /// <summary>A test that sleeps is slow on a fast machine and fails on a slow one.</summary>
    public static IEnumerable<Offence> Sleep(SourceFile file) =>
        from call in file.Root.DescendantNodes().OfType<MemberAccessExpressionSyntax>()
        where (SyntaxNames.Last(call.Expression), SyntaxNames.Last(call)) is ("Thread", "Sleep") or ("Task", "Delay")
        select file.At(call, $"{call}: wait for the event itself, with a bound");

    /// <summary>
    /// Classes that run alone make the run long, so each gives its reason, and uses the subject of its group: memory,
    /// descriptors and events of the process, or namespaces, settings and CPUs of the host.
    /// </summary>
    public static IEnumerable<Offence> GroupWithoutNeed(SourceFile file) =>
        from attribute in file.Root.DescendantNodes().OfType<AttributeSyntax>()
        let name = SyntaxNames.Last(attribute.Name)
        where GroupNeeds.ContainsKey(name)
        let reason = attribute.ArgumentList?.Arguments.FirstOrDefault()?.Expression as LiteralExpressionSyntax
        where reason?.Token.ValueText is not { Length: > 10 }
            || !UsedNames(file).Intersect(GroupNeeds[name], StringComparer.Ordinal).Any()
        select file.At(attribute, $"{name} without a reason, or without use of {string.Join(", ", GroupNeeds[name])}");

    // The namespace of a file says where the file is; its using directives say what it uses.
    private static IEnumerable<string> UsedNames(SourceFile file)
    {
        SyntaxNode[] nodes = [.. file.Root.DescendantNodes(static node => !IsNamespace(node))];
        return nodes.OfType<SimpleNameSyntax>().Select(static name => name.Identifier.ValueText)
            .Concat(nodes.OfType<LiteralExpressionSyntax>().Select(static literal => literal.Token.Text));
    }

    private static bool IsNamespace(SyntaxNode node) => node is NameSyntax { Parent: BaseNamespaceDeclarationSyntax };

    private static IEnumerable<AttributeSyntax> TestAttributes(MethodDeclarationSyntax method) =>
        from attribute in method.AttributeLists.SelectMany(list => list.Attributes)
        let name = SyntaxNames.Last(attribute.Name)
        where name.EndsWith("Fact", StringComparison.Ordinal) || name.EndsWith("Theory", StringComparison.Ordinal)
        select attribute;
}
