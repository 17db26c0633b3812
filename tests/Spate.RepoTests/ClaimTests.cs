using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class ClaimTests
{
    private static IEnumerable<SourceFile> Documents => Repository.Files.Where(file => file.IsMarkdown);

    [Fact]
    public void Documents_OfTheRepository_HaveNoRefutedClaim() =>
        Repository.AssertNone(Documents, ClaimRules.FalseClaim);

    [Fact]
    public void Documents_OfTheRepository_NameTheFacts() =>
        Repository.AssertNone(ClaimRules.MissingFact([.. Documents]));

    [Fact]
    public void Documents_OfTheRepository_HaveWholeTables() =>
        Repository.AssertNone(Documents, ClaimRules.JoinedTable);

    [Fact]
    public void Readme_OfTheRepository_NamesTheTimeOfTheBuild() =>
        Repository.AssertNone(Documents.Where(file => file.Path == "README.md"), ClaimRules.SilentBuild);

    [Theory]
    [InlineData("One assembly runs on Linux, Windows\nand macOS.")]
    [InlineData("a\nThe same program runs everywhere; b", 2)]
    [InlineData("A program spends nearly all of its time entering\nand leaving the kernel.")]
    [InlineData("- AF_XDP or DPDK go further, at the price of a network card of your own.")]
    [InlineData("- AF_XDP or DPDK go further, with a card of their own.")]
    [InlineData("| `EnableTransmitTimes` | yes, where the route has fq |")]
    [InlineData("any container of RabbitMQ 3.10 or later")]
    [InlineData("| 3 | could not run: `bench` stopped before its end |")]
    public void FalseClaim_WordsAsTheyWere_AreTold(string text, int line = 1) =>
        Assert.Equal([line], Offender.Lines(ClaimRules.FalseClaim, "docs/a.md", text));

    [Fact]
    public void MissingFact_EachDocument_IsTold() => Assert.Equal(
        ClaimRules.Needed.Select(need => need.Path), ClaimRules.MissingFact([]).Select(offence => offence.Path));

    [Theory]
    [InlineData("| a | b |\n|---|--:|\n| 1 | 2 |\n", 0)]
    [InlineData("  | a | b |\n  | :--- | --- |\n", 0)]
    [InlineData("text\n  | a | b | |---|---| | 1 | 2 |\n", 2)]
    public void JoinedTable_Shapes_AreTold(string text, int line) =>
        Assert.Equal(line == 0 ? [] : [line], Offender.Lines(ClaimRules.JoinedTable, "docs/a.md", text));

    [Theory]
    [InlineData("See it, in about a minute:\n```sh\ndotnet run -c Release\n", 3)]
    [InlineData("The first run builds for\ntwo minutes:\n```sh\ndotnet run -c Release\n", 0)]
    [InlineData("```sh\ndotnet run\n```\nwhich builds for two minutes\n", 2)]
    public void SilentBuild_Shapes_AreTold(string text, int line) =>
        Assert.Equal(line == 0 ? [] : [line], Offender.Lines(ClaimRules.SilentBuild, "README.md", text));
}
