using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

/// <summary>Uses between the folders of all projects of src.</summary>
public sealed class FolderTests
{
    [Fact]
    public void Folders_OfAllProjects_KeepToTheirLayersWithoutCycles()
    {
        IReadOnlyList<FolderBreach> breaches = FolderRules.Breaches(SourceModel.Projects);

        Assert.True(breaches.Count == 0, $"{breaches.Count} found:\n{string.Join('\n', breaches)}");
    }

    [Theory]
    [InlineData("src/P/A", "src/P/B", true)]
    [InlineData("src/P/A", "src/P/AB", true)]
    [InlineData("src/P/A/B", "src/P/A/C", true)]
    [InlineData("src/P", "src/P/A", false)]
    [InlineData("src/P/A", "src/P/A/B/C", false)]
    [InlineData("src/P", "src/Q", true)]
    [InlineData("src/P/A", "src/P/A", false)]
    [InlineData("src/Spate/Buffers", "src/Spate/Messages", false)]
    [InlineData("tests/A", "src/P", false)]
    public void Cycle_OfTwoFolders_IsFound(string one, string other, bool found) =>
        Assert.Equal(
            found ? [$"cycle {one} -> {other}", $"cycle {other} -> {one}"] : [],
            Lines((one, "class A { B? _b; }"), (other, "class B { A M() => new(); }"))
                .OrderByDescending(line => line.StartsWith($"cycle {one} ", StringComparison.Ordinal)));

    [Fact]
    public void Cycle_OverOthers_IsFoundWithoutWhatLeadsThere() =>
        Assert.Equal(["cycle src/P/A -> src/P/B", "cycle src/P/B -> src/P/C", "cycle src/P/C -> src/P/A"], Lines(
            ("src/P/A", "class A { B? _b; }"),
            ("src/P/B", "class B { C? _c; }"),
            ("src/P/C", "class C { A? _a; D? _d; }"),
            ("src/P/D", "class D { }"),
            ("src/P/E", "class E { A? _a; }")));

    [Fact]
    public void Cycle_OfOneDirection_IsNone() =>
        Assert.Empty(Lines(("src/P/A", "class A { B? _b; }"), ("src/P/B", "class B { }")));

    [Fact]
    public void Cycle_OfAProgramOutsideATypeAndAPartialType_IsFound() =>
        Assert.Equal(["cycle src/P -> src/Q", "cycle src/Q -> src/P"], Lines(
            ("src/P", "_ = new A(); partial class B { }"), ("src/Q", "class A { B? _b; }")));

    [Theory]
    [InlineData("src/Spate.Measurement/Reports", "src/Spate.Measurement/Counting", "upward")]
    [InlineData("src/Spate.Measurement/Reports/Conditions", "src/Spate.Measurement/PathTest/Ends", "upward")]
    [InlineData("src/Spate.Measurement/HostUse", "src/Spate.Measurement/Loss", "upward")]
    [InlineData("src/Spate.Measurement/Pacing", "src/Spate.Measurement/Loss", "sideways")]
    [InlineData("src/Spate.Measurement/Loss", "src/Spate.Measurement/Pacing", "sideways")]
    [InlineData("src/Spate.HostTuning/Interop/Linux", "src/Spate.HostTuning/Reading", "upward")]
    [InlineData("src/Spate.HostTuning/Counters", "src/Spate.HostTuning/Settings", "upward")]
    [InlineData("src/Spate.HostTuning/Placement", "src/Spate.HostTuning/Checks/Cpus", "upward")]
    [InlineData("src/Spate.Cli/Shell", "src/Spate.Cli/Traffic", "upward")]
    [InlineData("src/Spate.Cli/Traffic", "src/Spate.Cli/Send", "upward")]
    [InlineData("src/Spate.Cli/Host", "src/Spate.Cli/Comparison", "upward")]
    [InlineData("src/Spate.Cli/Bench/Rows", "src/Spate.Cli/Compare", "sideways")]
    [InlineData("src/Spate.Cli/Info", "src/Spate.Cli/Doctor", "sideways")]
    [InlineData("src/Spate.Cli/Send", "src/Spate.Cli", "upward")]
    public void Layers_ArrowAgainstThem_IsFound(string from, string to, string kind) =>
        Assert.Equal([$"{kind} {from} -> {to}"], Lines((from, "class A { B? _b; }"), (to, "class B { }")));

    [Theory]
    [InlineData("src/Spate.Measurement/Counting", "src/Spate.Measurement/Reports")]
    [InlineData("src/Spate.Measurement/PathTest", "src/Spate.Measurement/Pacing")]
    [InlineData("src/Spate.Measurement/Loss", "src/Spate.Measurement/HostUse")]
    [InlineData("src/Spate.Measurement/Traffic/Ends", "src/Spate.Measurement/HostUse")]
    [InlineData("src/Spate.HostTuning/Checks/Cpus", "src/Spate.HostTuning/Settings")]
    [InlineData("src/Spate.HostTuning/Reading", "src/Spate.HostTuning/Interop/Linux")]
    [InlineData("src/Spate.HostTuning/Checks", "src/Spate.HostTuning/Checks/Cpus")]
    [InlineData("src/Spate.Cli", "src/Spate.Cli/Bench/Rows")]
    [InlineData("src/Spate.Cli/Gateway", "src/Spate.Cli/Traffic")]
    [InlineData("src/Spate.Cli/Bench/Rows", "src/Spate.Cli/Bench")]
    [InlineData("src/Spate.Cli/Traffic", "src/Spate.Measurement/PathTest")]
    [InlineData("src/Spate.Gateway/A", "src/Spate.Gateway")]
    public void Layers_ArrowAlongThem_IsPermitted(string from, string to) =>
        Assert.Empty(Lines((from, "class A { B? _b; }"), (to, "class B { }")));

    [Theory]
    [InlineData("src/Spate.Cli/New/Inner", "src/Spate.Cli/New")]
    [InlineData("src/Spate.HostTuning", "src/Spate.HostTuning")]
    [InlineData("src/Spate.Measurement/Send", "src/Spate.Measurement/Send")]
    [InlineData("src/Spate.Gateway/New", null)]
    [InlineData("tests/Spate.Cli/New", null)]
    public void Unplaced_FolderOfNoRow_IsFound(string folder, string? told) =>
        Assert.Equal(told is null ? [] : [$"unplaced {told}"], Lines((folder, "class A { }")));

    private static IEnumerable<string> Lines(params (string Folder, string Text)[] files) =>
        FolderRules.Breaches(Model(files)).Select(breach => $"{breach.Kind} {breach.Name}");

    /// <summary>One file a folder, all in one namespace; the file has the name of the folder's first class.</summary>
    private static SourceModel Model(params (string Folder, string Text)[] files) => new(files.Select(
        (file, i) => Offender.At($"{file.Folder}/{(char)('A' + i)}.cs", file.Text)));
}
