using Spate.Build;
using Spate.Build.Mutants;

namespace Spate.RepoTests;

/// <summary>How mutants are drawn, found again, matched with tests, and compared.</summary>
public sealed class MutantListTests
{
    private const string Many =
        "class A { void M() { F(1); F(2); F(2); if (a) x = y; } void N() { F(3); b = 1 < c; } }";

    [Fact]
    public void Entries_OfTheList_ReadAndWriteTheSame()
    {
        string path = Path.Combine(Repository.Top, MutantFile.List);

        Assert.Equal(File.ReadAllLines(path), MutantFile.Read(path).Select(MutantFile.LineOf));
    }

    [Theory]
    [InlineData("A.M", 1, "F(2);", 1)]
    [InlineData("A.M", 5, "F(1);", 0)]
    [InlineData("A.M", 0, "F(2);", null)]
    [InlineData("A.M", 0, "F(3);", null)]
    [InlineData("A.M()", 2, "F(2);", 2)]
    [InlineData("A.O", 0, "F(1);", null)]
    public void Find_Mutant_IsAtItsOrdinalOrElseTheOnlyOneOfItsText(string symbol, int ordinal, string text, int? found)
    {
        (SiteFile File, Site Site)? place = Tree(Many).Find(new Mutant(symbol, MutationKind.Call, ordinal, text));

        Assert.Equal(found, place is { } at ? Array.IndexOf(CallsOf(at.File, "A.M"), at.Site) : null);
    }

    [Fact]
    public void Entries_OfTheList_AreFoundInTheSources()
    {
        SourceTree sources = SourceTree.Read(Repository.Top);

        Assert.Empty(MutantFile.Read(Path.Combine(Repository.Top, MutantFile.List))
            .Where(mutant => sources.Find(mutant) is null).Select(MutantFile.LineOf));
    }

    [Fact]
    public void Find_Overloads_AreToldApartByTheirParameters()
    {
        SourceTree tree = Tree("class A { void M(int x) { F(); } void M(string x) { F(); } }");
        Mutant[] mutants = [.. tree.Mutants().Select(one => one.Mutant)];

        Assert.Equal(["A.M(int)", "A.M(string)"], mutants.Select(mutant => mutant.Symbol));
        Assert.All(mutants, one => Assert.Equal(one.Symbol, tree.Find(one)!.Value.Site.Symbol.Full));
    }

    [Fact]
    public void Mutants_OfATree_AreFoundInIt()
    {
        SourceTree tree = Tree(Many);

        Assert.All(tree.Mutants(), one => Assert.Equal(one.Mutant.Text, tree.Find(one.Mutant)!.Value.Site.Text));
    }

    [Fact]
    public void From_OneSeed_IsOneDrawOfAllKinds()
    {
        Mutant[] drawn = [.. Draw.From(Tree(Many).Mutants(), seed: 7, count: 3)];

        Assert.Equal(drawn, Draw.From(Tree(Many).Mutants(), seed: 7, count: 3));
        Assert.Equal(3, drawn.Select(mutant => mutant.Kind).Distinct().Count());
    }

    [Theory]
    [InlineData(new[] { 1000, 10, 500 }, 20, new[] { 12, 2, 6 })]
    [InlineData(new[] { 1, 100 }, 10, new[] { 1, 9 })]
    [InlineData(new[] { 2, 2 }, 10, new[] { 2, 2 })]
    public void Shares_OfProjects_AreInProportionAndAtLeastTwo(int[] sizes, int count, int[] shares) =>
        Assert.Equal(shares, Draw.Shares(sizes, count));

    [Theory]
    [InlineData("Spate", "Spate.Buffers", "Spate.Tests.Buffers|Spate.Tests|Spate.Tests.Contracts|")]
    [InlineData("Spate", "Spate.Interop", "Spate.Tests|Spate.Tests.Buffers|Spate.Tests.Contracts|")]
    [InlineData("Spate", "Spate.Serving.Shards",
        "Spate.Tests.Serving.Shards|Spate.Tests,Spate.Tests.Buffers|Spate.Tests.Contracts|")]
    [InlineData("Spate.Gateway", "Spate.Gateway.Pipelines", "Spate.Tests.Gateway|Spate.HostTests.Gateway|")]
    [InlineData("Spate.Gateway", "Spate", "Spate.Tests.Gateway|Spate.HostTests.Gateway|")]
    public void StagesOf_Namespace_BeginWithItsMirror(string project, string space, string expected)
    {
        const string Host = "Spate.HostTests.Gateway";
        var programs = new TestPrograms(
        [
            new TestProgram("tests/B/B.csproj", [Host]),
            new TestProgram("tests/A/A.csproj",
            [
                "Spate.Tests", "Spate.Tests.Buffers", "Spate.Tests.Contracts", "Spate.Tests.Gateway",
                "Spate.Tests.Serving", "Spate.Tests.Serving.Shards",
            ]),
        ]);
        string[] spaces = [project, project + ".Buffers", project + ".Shards"];

        IReadOnlyList<Stage> stages = programs.StagesOf(project, space, spaces);

        Assert.Equal(expected, string.Join('|', stages.Select(stage => string.Join(',', stage.Included))));
        Assert.Equal(stages.SelectMany(stage => stage.Included).Where(one => one != Host)
            .Order(StringComparer.Ordinal), stages[^1].Excluded.Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData(Outcome.Killed, Outcome.Survived, 1)]
    [InlineData(Outcome.Timeout, Outcome.NotFound, 1)]
    [InlineData(Outcome.Killed, Outcome.Timeout, 0)]
    [InlineData(Outcome.Survived, Outcome.Survived, 0)]
    public void Compare_Outcomes_FailsIfAKillIsLost(object older, object newer, int code)
    {
        var mutant = new Mutant("A.M", MutationKind.Call, 0, "F();");

        Assert.Equal(code, Summary.Compare(
            [mutant with { Outcome = (Outcome)older }], [mutant with { Outcome = (Outcome)newer }], TextWriter.Null));
    }

    [Fact]
    public void Select_Shards_ShareTheList()
    {
        Mutant[] all = [.. Tree(Many).Mutants().Select(one => one.Mutant)];

        Assert.Equal(
            all.ToHashSet(),
            [.. MutantsRun.Select(all, "", "1/2"), .. MutantsRun.Select(all, "", "2/2")]);
        Assert.Equal(all[1..3], MutantsRun.Select(all, "2..3", "1/1"));
    }

    [Theory]
    [InlineData("-5..-2")]
    [InlineData("0..1")]
    [InlineData("2..1")]
    [InlineData("1..3")]
    [InlineData("10..20")]
    public void Select_LinesThatTheListLacks_IsRefused(string only)
    {
        var mutant = new Mutant("A.M", MutationKind.Call, 0, "F();");

        Assert.Throws<BuildException>(() => MutantsRun.Select([mutant, mutant], only, "1/1"));
    }

    private static SourceTree Tree(string text) => new([("src/Spate/A.cs", text)]);

    private static Site[] CallsOf(SiteFile file, string symbol) =>
        [.. file.Sites.Where(site => site.Kind == MutationKind.Call && site.Symbol.Name == symbol)];
}
