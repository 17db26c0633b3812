using System.Globalization;
using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

/// <summary>The section Walks of ARCHITECTURE.md against the code.</summary>
public sealed class WalkTests
{
    /// <summary>Set to 1, it renews the file lists of a whole walk. Nothing raises the number in its title.</summary>
    private const string Renewal = "SPATE_UPDATE_WALKS";

    private const string Caller = """
        namespace N;
        class Caller
        {
            private readonly Backend _backend = new Fast();
            public int Call(int a)
            {
                if (a < 0) throw Fault.Make();
                Before.Run();
                try { return Inner(a); } finally { After.Run(); }
            }
            public int Call(string b) => After.Run();
            private int Inner(int a) => _backend.Take(a, Callback);
            private static void Callback() => After.Run();
        }
        """;

    private static readonly SourceFile[] Code =
    [
        Offender.At("src/P/Caller.cs", Caller),
        Offender.At("src/P/Before.cs", "namespace N; class Before { public static int Run() => new Data(1).Value; }"),
        Offender.At("src/P/Data.cs", "namespace N; class Data(int value) { public int Value => _v; int _v = value; }"),
        Offender.At("src/P/After.cs", "namespace N; class After { public static int Run() => 1; }"),
        Offender.At("src/P/Fault.cs", "namespace N; class Fault : Exception { public static Fault Make() => new(); }"),
        Offender.At("src/P/Backend.cs", """
            namespace N;
            abstract class Backend { public abstract int Take(int a, Action b); }
            """),
        Offender.At("src/P/Fast.cs", """
            namespace N;
            class Fast : Backend
            {
                public override int Take(int a, Action b) { b(); return Native.recv(); }
            }
            """),
        Offender.At("src/P/Slow.cs", """
            namespace N;
            class Slow : Backend { public override int Take(int a, Action b) => 0; }
            """),
        Offender.At("src/P/Native.cs", "namespace N; static partial class Native { public static extern int recv(); }"),
    ];

    private const string Good = """
        1. `Caller.cs` `Caller.Call(a)`, which enters
           - `Before.cs` `Before.Run`
        2. `Caller.cs` `Caller.Inner`
        3. `Fast.cs` `Fast.Take`
        4. `Native.cs` `Native.recv`

        - `Caller.Callback`: runs later
        """;

    private const string Whole = """
        1. `Start.cs` `Start.Run`

        - `src/P/`: `After`, `Before`, `Caller`, `Fast`,
          `Native`, `Table`
        """;

    private static readonly SourceFile[] Table =
    [
        Offender.At("src/P/Start.cs", "namespace N; class Start { static int Run() => new Caller().Call(0); }"),
        Offender.At("src/P/Before.cs", "namespace N; class Before { public static int Run() => Table.Steps[0](); }"),
        Offender.At("src/P/Table.cs", """
            namespace N;
            static class Table { public static readonly Func<int>[] Steps = [() => After.Run()]; }
            """),
    ];

    [Fact]
    public void Walks_OfTheArchitecture_AreTrueAndShort()
    {
        SourceFile document = Repository.Files.Single(file => file.Path == "ARCHITECTURE.md");
        List<Offence> offences = [];
        List<string> renewed = [.. document.Lines];

        // From the last on, so that a renewed list moves no line of those that follow.
        foreach (Walk walk in Walk.Read([.. document.Lines]).Reverse())
        {
            // Of a server only the files that it adds count.
            string folder = walk.Title.Contains("server", StringComparison.Ordinal) ? "src/Spate/Serving" : "src";
            WalkRules rules = new(SourceModel.Projects, document.Path, walk, folder);
            offences.AddRange(rules.Check());
            if (walk.IsWhole) Renew(renewed, walk, rules);
            int maxCount = int.Parse(walk.Title.Split(' ')[^2], CultureInfo.InvariantCulture);
            if (rules.Reached.Count > maxCount)
            {
                string files = string.Join(", ", rules.Reached.Keys.Order(StringComparer.Ordinal));
                offences.Add(new Offence(document.Path, walk.Line, $"{rules.Reached.Count} files: {files}"));
            }
        }

        if (Environment.GetEnvironmentVariable(Renewal) == "1")
        {
            Repository.Write(document.Path, string.Join('\n', renewed) + "\n");
        }

        Repository.AssertNone(offences);
    }

    [Fact]
    public void Check_OfATrueWalk_FindsNothing() => Assert.Empty(Check(Good));

    [Fact]
    public void Check_OfATrueWalk_CountsItsFiles()
    {
        Rules(Good, out WalkRules rules);

        Assert.Equal(["src/P/Before.cs", "src/P/Caller.cs", "src/P/Fast.cs", "src/P/Native.cs"],
            rules.Reached.Keys.Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("   - `Before.cs` `Before.Run`\n", "", "src/P/Before.cs is on the way and not named")]
    [InlineData("- `Caller.Callback`: runs later", "", "src/P/After.cs is on the way and not named")]
    [InlineData("2. `Caller.cs` `Caller.Inner`\n", "", "Caller.Call does not call Fast.Take")]
    [InlineData("`Before.cs` `Before.Run`", "`Before.cs` `Before.Walk`", "Before.cs has no Before.Walk")]
    [InlineData("`Before.cs` `Before.Run`", "`After.cs` `Before.Run`", "After.cs has no Before.Run")]
    [InlineData("`Caller.Call(a)`", "`Caller.Call(c)`", "Caller.cs has no Caller.Call")]
    [InlineData("- `Caller.Callback`: runs later", "- `Slow.cs`, `Caller.Callback`: late", "Slow.cs is left out, and")]
    [InlineData("2. `Caller.cs`", "2. Caller.cs", "a list entry that is no step")]
    public void Check_OfAnUntrueWalk_SaysWhat(string part, string by, string message)
    {
        string text = Good.Replace(part, by, StringComparison.Ordinal);

        Assert.NotEqual(Good, text);
        Assert.Contains(Check(text), offence => offence.Message.Contains(message, StringComparison.Ordinal));
    }

    [Fact]
    public void Check_OfAVirtualCall_AsksWhichTypeItIs() => Assert.Contains(
        Check("1. `Caller.cs` `Caller.Call(a)`\n2. `After.cs` `After.Run`"),
        offence => offence.Message.Contains("which of Fast.Take, Slow.Take?", StringComparison.Ordinal));

    [Fact]
    public void Check_OfADelegate_FollowsWhatItIsMadeOf() => Assert.Empty(Check("""
        1. `Fast.cs` `Fast.Take`
        2. `Caller.cs` `Caller.Callback`
        3. `After.cs` `After.Run`
        """));

    [Fact]
    public void Check_OfAWholeWalk_FollowsTablesAndWhatIsCreated()
    {
        Assert.Empty(Rules(Whole, out WalkRules rules, Table));
        Assert.Equal(
            ["After", "Before", "Caller", "Fast", "Native", "Start", "Table"],
            rules.Reached.Keys.Select(Path.GetFileNameWithoutExtension).Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("`Native`, ", "", "src/P/Native.cs is on the way and not named")]
    [InlineData("`Native`", "`Native`, `Slow`", "src/P/Slow.cs is listed, and nothing on the way runs it")]
    [InlineData("`Table`", "`Table`\n- `Slow.cs`: late", "Slow.cs is left out, and nothing on the way calls it")]
    public void Check_OfAnUntrueWholeWalk_SaysWhat(string part, string by, string message)
    {
        string text = Whole.Replace(part, by, StringComparison.Ordinal);

        Assert.NotEqual(Whole, text);
        Assert.Contains(
            Rules(text, out _, Table), offence => offence.Message.Contains(message, StringComparison.Ordinal));
    }

    [Fact]
    public void Check_OfAWholeWalk_AsksForTheTypeOfAVirtualCall() => Assert.Contains(
        Rules(Whole, out _, [.. Table, Offender.At("src/P/Before.cs", """
            namespace N;
            abstract class Open { public abstract int Value { get; } }
            class Before
            {
                public static int Run() => Get(Table.Steps[0]());
                static int Get(int a, Open b = null) => b.Value;
            }
            """)]),
        offence => offence.Message.Contains("Open.Value: no type on the way has it", StringComparison.Ordinal));

    [Fact]
    public void Listing_OfFiles_IsReadAsThem()
    {
        string[] files = [.. Enumerable.Range(10, 40).Select(i => $"src/P/File{i}.cs"), "src/Q/R/One.Two.cs"];

        Walk walk = Assert.Single(Walk.Read(["## Walks", "### One", .. Walk.Listing(files)]));

        Assert.Equal(files, walk.Listed.Keys);
        Assert.Empty(walk.Unread);
    }

    [Fact]
    public void Read_OfASection_EndsWithIt()
    {
        Walk walk = Assert.Single(Walk.Read(
            ["## Walks", "### One", "1. `A.cs` `A.B`", "", "1. `C.cs` `C.D(e, f)`", "## Other", "### Two"]));

        Assert.Equal("One", walk.Title);
        Assert.Equal(["A.B", "C.D"], walk.Chains.Select(chain => Assert.Single(chain).Stop.Member));
        Assert.Equal([null, "e, f"], walk.Stops.Select(stop => stop.Parameters));
    }

    private static void Renew(List<string> lines, Walk walk, WalkRules rules)
    {
        HashSet<string> steps = [.. walk.Stops.Select(stop => stop.File)];
        (int first, int last) = (walk.Listed.Values.Min(), walk.Listed.Values.Max());
        lines.RemoveRange(first - 1, last - first + 1);
        lines.InsertRange(
            first - 1, Walk.Listing(rules.Reached.Keys.Where(file => !steps.Contains(Path.GetFileName(file)))));
    }

    private static IReadOnlyList<Offence> Check(string text) => Rules(text, out _);

    private static IReadOnlyList<Offence> Rules(string text, out WalkRules rules, params SourceFile[] instead)
    {
        Walk walk = Assert.Single(Walk.Read($"## Walks\n### One\n{text}".Split('\n')));
        IEnumerable<SourceFile> code = instead.Reverse().Concat(Code).DistinctBy(file => file.Path);
        rules = new WalkRules(new SourceModel(code), "ARCHITECTURE.md", walk, "src");
        return rules.Check();
    }
}
