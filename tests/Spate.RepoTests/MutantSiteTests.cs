using Microsoft.CodeAnalysis.CSharp;
using Spate.Build.Mutants;

namespace Spate.RepoTests;

/// <summary>Places and kinds of changes by mutants.</summary>
public sealed class MutantSiteTests
{
    [Theory]
    [InlineData("if (a) F();", MutationKind.Condition, "if (!(a)) F();")]
    [InlineData("while (a == b) F();", MutationKind.Condition, "while (!(a == b)) F();")]
    [InlineData("b = a ? 1 : 2;", MutationKind.Condition, "b = !(a) ? 1 : 2;")]
    [InlineData("if (T(out var c)) F();", MutationKind.Condition, "if (!(T(out var c))) F();")]
    [InlineData("b = 1 < c;", MutationKind.Bound, "b = 1 <= c;")]
    [InlineData("b = c >= d;", MutationKind.Bound, "b = c > d;")]
    [InlineData("b = c > 0x10;", MutationKind.Bound, "b = c > (0x10 + 1);")]
    [InlineData("b = 5 <= c;", MutationKind.Bound, "b = (5 + 1) <= c;")]
    [InlineData("if (a) F(1);", MutationKind.Call, "if (a) ;")]
    [InlineData("await F();", MutationKind.Call, ";")]
    [InlineData("x?.F();", MutationKind.Call, ";")]
    public void ApplyTo_OneSite_ChangesItAlone(string body, object kind, string changed)
    {
        string source = $"class A\n{{\n    void M()\n    {{\n        {body} // why\n    }}\n}}\n";

        Site site = Assert.Single(SitesOf(source), site => site.Kind.Equals(kind));

        Assert.Equal(source.Replace(body, changed, StringComparison.Ordinal), site.ApplyTo(source));
    }

    [Theory]
    [InlineData("if (x is { } y) return;")]
    [InlineData("if (T(out var c) || x == c) return;")]
    [InlineData("while (true) x = y;")]
    [InlineData("const bool Long = sizeof(int) < 5;")]
    [InlineData("switch (x) { case < 5: return; case 1 + 1: return; }")]
    [InlineData("b = c <= d;")]
    [InlineData("T(out b);")]
    [InlineData("Debug.Assert(b < c);")]
    [InlineData("x = F();")]
    [InlineData("[Limit(1 < 2)] void Local() { }")]
    public void Of_CodeThatWouldNotCompileOrNotDiffer_IsNone(string body) =>
        Assert.Empty(SitesOf($"class A {{ void M() {{ {body} }} }}"));

    [Fact]
    public void Of_Conjunction_HasEachOperandAndTheWhole() =>
        Assert.Equal(
            ["a && b", "a", "b"],
            SitesOf("class A { void M() { if (a && b) x = y; } }").Select(site => site.Text));

    [Fact]
    public void Of_FieldsAndInitializers_IsNone() =>
        Assert.Empty(SitesOf("class A { bool _b = 1 < C; bool P { get; } = 1 < C; void M(bool b = 1 < 2) { } }"));

    [Theory]
    [InlineData("namespace N.O; class A<T> { struct B { void M(int x) { F(); } } }", "N.O.A<T>.B.M(int)")]
    [InlineData("namespace N; class A { A(B b, C c) { F(); } }", "N.A.constructor(B, C)")]
    [InlineData("namespace N; class A { int P { get { F(); return 1; } } }", "N.A.P")]
    [InlineData("namespace N; class A { void I.M() { F(); } }", "N.A.I.M()")]
    [InlineData("class A { int this[int i] { get { F(); return 1; } } }", "A.this[](int)")]
    [InlineData("class A { void M() { void Local() { F(); } } }", "A.M()")]
    public void Symbol_OfASite_IsThatOfItsMember(string source, string symbol) =>
        Assert.Equal(symbol, Assert.Single(SitesOf(source)).Symbol.Full);

    private static Site[] SitesOf(string source) =>
        [.. Sites.MembersOf(CSharpSyntaxTree.ParseText(source).GetRoot()).SelectMany(Sites.Of)];
}
