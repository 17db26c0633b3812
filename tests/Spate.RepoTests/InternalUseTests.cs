using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

/// <summary>
/// The package Spate.Serving stands on Spate's public face. What it needs beyond that is little, and listed.
/// </summary>
public sealed class InternalUseTests
{
    private const int MaxTypes = 10;
    private const int MaxMembers = 20;
    private const string Document = "ARCHITECTURE.md";
    private const string Heading = "### What Spate.Serving uses of Spate's internals";

    [Fact]
    public void InternalsOfSpate_UsedByServing_AreThoseListed()
    {
        IReadOnlyCollection<string> used = InternalUse.Of(SourceModel.Libraries, "src/Spate.Serving", "src/Spate");
        string[] lines = Repository.Files.Single(file => file.Path == Document).Lines;

        Assert.Equal(string.Join('\n', InternalUse.ListedUnder(lines, Heading)), string.Join('\n', used));
        Assert.InRange(used.Count(name => !name.Contains('.')), 1, MaxTypes);
        Assert.InRange(used.Count(name => name.Contains('.')), 1, MaxMembers);
    }

    [Theory]
    [InlineData("class U { void M() { var t = Lib.Open.Make(); } }", "")]
    [InlineData("class U { void M() => Lib.Open.Hidden(1); }", "Open.Hidden")]
    [InlineData("class U { int M() => new Lib.Open().Count; }", "Open.Count")]
    [InlineData("class U { object M() => new Lib.Shut(); }", "Shut,Shut.Shut")]
    [InlineData("class U { int M(Lib.Open o) { using var s = o.Get(); return 0; } }", "Open.Get,Shut,Shut.Dispose")]
    [InlineData("class U { Lib.Open M(Lib.Open o) => o with { Size = 1 }; }", "Open.Size")]
    public void Of_EveryWayToUseAnInternal_IsFound(string user, string expected)
    {
        SourceModel model = new(
        [
            Offender.At("src/Lib/Open.cs", """
                namespace Lib;
                public record Open
                {
                    internal int Count { get; }
                    internal int Size { get; init; }
                    public static Open Make() => new();
                    internal static void Hidden(int a) { }
                    internal static void Hidden() { }
                    internal Shut Get() => new();
                }
                internal sealed class Shut : System.IDisposable { public void Dispose() { } }
                """),
            Offender.At("src/User/U.cs", user),
        ]);

        Assert.Equal(expected, string.Join(',', InternalUse.Of(model, "src/User", "src/Lib")));
    }
}
