using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

/// <summary>Where an error or a document sends its reader, there is something to read.</summary>
public sealed class AnchorTests
{
    private static readonly SourceFile Guide =
        Offender.At("docs/a.md", "# One\n## `Two` (too), three\n```sh\n# no heading\n```\n### One\n");

    private static IEnumerable<SourceFile> Code => Repository.CSharp.Where(file => file.IsUnder("src"));

    [Fact]
    public void Anchors_OfTheCode_AreHeadings() =>
        Repository.AssertNone(Code, file => AnchorRules.DeadInCode(file, Repository.Files));

    [Fact]
    public void Anchors_OfTheTool_StandInOnePlaceAndArePrinted()
    {
        Repository.AssertNone(Code, AnchorRules.NamedElsewhere);
        Repository.AssertNone(AnchorRules.Unused(Repository.Files));
    }

    [Fact]
    public void Lines_WithARemedy_NameAHeading() => Repository.AssertNone(Code, NoticeRules.WithoutHeading);

    [Theory]
    [InlineData("streams.Notice($\"as root, sysctl -w {a}\");", 1)]
    [InlineData("throw CommandException.Refused(\"x: raise the \" + \"limit\", DocsAnchor.None);", 1)]
    [InlineData("throw CommandException.Refused(\"x: raise the limit\", DocsAnchor.Memory, fault);", 0)]
    [InlineData("notices.Add($\"slow: \" + \"--rate N sends more\");", 1)]
    [InlineData("streams.Notice(text); streams.Notice(a ? b : c); streams.Notice($\"{a} failed: {rows.Reason}\");", 3)]
    [InlineData("streams.Warn(text, anchor); streams.Notice($\"{reasons} of {count}\" + \" came\");", 0)]
    [InlineData("streams.Warn(\"as root\", anchor); streams.Notice(\"waiting\");", 0)]
    public void WithoutHeading_Lines_AreTold(string statement, int count)
    {
        SourceFile code = Offender.At("src/Spate.Cli/A.cs", $"class A {{ void B() {{ {statement} }} }}");

        Assert.Equal(count, NoticeRules.WithoutHeading(code).Count());
    }

    [Fact]
    public void Links_OfTheDocuments_LeadSomewhere() => Repository.AssertNone(
        Repository.Files.Where(file => file.IsMarkdown),
        file => AnchorRules.DeadLinks(file, Repository.Files));

    [Fact]
    public void AnchorsOf_Headings_AreAsTheForgeMakesThem() =>
        Assert.Equal(["one", "one-1", "two-too-three"], AnchorRules.AnchorsOf(Guide).Order(StringComparer.Ordinal));

    [Theory]
    [InlineData("docs/a.md", 0)]
    [InlineData("docs/a.md#one-1", 0)]
    [InlineData("docs/a.md#no-heading", 1)]
    [InlineData("docs/b.md", 1)]
    public void DeadInCode_Places_AreTold(string place, int count)
    {
        SourceFile code = Offender.At(
            "src/Spate.Cli/A.cs", $"// {place}x#y\nclass A {{ string B = $\"{{1}} ({place})\"; }}");

        Assert.Equal(count, AnchorRules.DeadInCode(code, [Guide]).Count());
        Assert.Equal(place.Contains('#', StringComparison.Ordinal) ? 1 : 0, AnchorRules.NamedElsewhere(code).Count());
    }

    [Theory]
    [InlineData("[x](a.md#one) [y](https://example.org/z#q)", 0)]
    [InlineData("[x](../docs/a.md) [y](#three)", 1)]
    [InlineData("[x](a.md#three)", 1)]
    [InlineData("[x](c.md)", 1)]
    public void DeadLinks_Shapes_AreTold(string text, int count)
    {
        SourceFile document = Offender.At("docs/b.md", text);

        Assert.Equal(count, AnchorRules.DeadLinks(document, [Guide, document]).Count());
    }
}
