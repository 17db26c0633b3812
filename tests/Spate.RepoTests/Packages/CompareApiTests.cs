using Microsoft.CodeAnalysis.CSharp;
using Spate.Build.ApiLists;

namespace Spate.RepoTests.Packages;

/// <summary>The check that <c>pack.sh</c> makes, in a made-up repository with one package, P.</summary>
public sealed class CompareApiTests : IDisposable
{
    private const string OldCode = """
        namespace N;
        public enum Cause { None, Late }
        public sealed class Kept
        {
            public int Count { get; }
            public void Post(int a) { }
            public void Post(int a, int b) { }
            public void Fail(Cause cause) { }
            public sealed class Part { }
        }
        public sealed class Gone { public int A { get; } }
        """;

    private readonly DirectoryInfo _top = Directory.CreateTempSubdirectory("spate-api-");

    public CompareApiTests()
    {
        Write("Spate.slnx", "<Solution />");
        Write("Directory.Build.props", "<Project><VersionPrefix>0.2.0</VersionPrefix></Project>");
        Write("src/P/P.csproj", "<Project><IsPackable>true</IsPackable></Project>");
        Write("src/Cli/Cli.csproj", "<Project><IsPackable>true</IsPackable><PackAsTool>true</PackAsTool></Project>");
        Build(OldCode);
        Write("api/released/P.txt", Read("api/P.txt"));
        WriteChangelog("");
    }

    public void Dispose() => _top.Delete(recursive: true);

    [Fact]
    public void Compare_UnchangedApi_IsSilent()
    {
        Assert.Equal((0, ""), Compare());
    }

    [Fact]
    public void Compare_MemberThatTheListLacks_IsRefused()
    {
        string list = Read("api/P.txt");
        Build(OldCode.Replace("public int Count { get; }", "public int Count { get; } public int More { get; }",
            StringComparison.Ordinal));
        Write("api/P.txt", list);

        (int exitCode, string output) = Compare();

        Assert.Equal(1, exitCode);
        Assert.StartsWith("api/P.txt lacks: N.Kept: public int More { get; }\n", output, StringComparison.Ordinal);
    }

    [Fact]
    public void Compare_MemberThatTheAssemblyLacks_IsRefused()
    {
        Write("api/P.txt", Read("api/P.txt") + "N.Kept: public int More { get; }\n");

        Assert.Contains("the assembly lacks, api/P.txt has: N.Kept: public int More { get; }\n", Compare().Output,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Compare_PackageWithoutList_IsRefused()
    {
        File.Delete(Path.Combine(_top.FullName, "api/P.txt"));

        Assert.StartsWith("api/P.txt is missing\n", Compare().Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "public int Count { get; }", "", "P: Kept.Count is gone: name `Kept.Count` in CHANGELOG.md")]
    [InlineData("### Added\n- `Kept.Count`", "public int Count { get; }", "",
        "P: Kept.Count is gone: name `Kept.Count` in CHANGELOG.md")]
    [InlineData("### Removed\n- `Kept`, `Other.Count`, Kept.Count", "public int Count { get; }", "",
        "P: Kept.Count is gone: name `Kept.Count` in CHANGELOG.md")]
    [InlineData("### Removed\n- `Kept.Count` did nothing", "public int Count { get; }", "", null)]
    [InlineData("### Removed\n- `Kept.*`", "public int Count { get; }", "", null)]
    [InlineData("", "Post(int a, int b)", "Post(int a, long b)",
        "P: Kept.Post changed: name `Kept.Post` in CHANGELOG.md")]
    [InlineData("### Changed\n- `Kept.Post(int, int)`", "Post(int a, int b)", "Post(int a, long b)", null)]
    [InlineData("", "public sealed class Kept", "public class Kept", "P: Kept changed: name `Kept` in CHANGELOG.md")]
    [InlineData("", "public sealed class Gone { public int A { get; } }", "",
        "P: Gone is gone: name `Gone` in CHANGELOG.md")]
    [InlineData("### Removed\n- `Gone`", "public sealed class Gone { public int A { get; } }", "", null)]
    [InlineData("", "public int Count", "public Kept(int a) { } public int Count",
        "P: new Kept changed: name `new Kept` in CHANGELOG.md")]
    [InlineData("### Changed\n- `new Kept()`", "public int Count", "public Kept(int a) { } public int Count", null)]
    [InlineData("", "public int Count", "public int More { get; } public int Count", null)]
    [InlineData("", "public enum", "public class New { public class In { } } public enum",
        "P: New is a new type: name `New` in CHANGELOG.md")]
    [InlineData("### Added\n- `New.A`", "public enum", "public class New { public class In { } } public enum", null)]
    [InlineData("", "public sealed class Part", "public sealed class Piece { } public sealed class Part",
        "P: Kept.Piece is a new type: name `Kept.Piece` in CHANGELOG.md")]
    [InlineData("", "public int Count", "public required int More { get; init; } public int Count",
        "P: Kept.More must be written by users from now on: name `Kept.More` in CHANGELOG.md")]
    [InlineData("### Changed\n- `Kept.More`", "public int Count",
        "public required int More { get; init; } public int Count", null)]
    [InlineData("### Removed\n```\n# no heading\n```\n- `Kept.Count`", "public int Count { get; }", "", null)]
    public void Compare_ChangedCode_MustBeNamed(string changelog, string before, string now, string? expected)
    {
        Build(OldCode.Replace(before, now, StringComparison.Ordinal));
        WriteChangelog(changelog);

        AssertFault(expected);
    }

    [Theory]
    [InlineData("| `Kept.Post` | `Kept.Enqueue` |", "Post", "Enqueue", null)]
    [InlineData("| `Kept.Post`, `Gone` | `Kept.Enqueue`, `Away` |", "Post|Gone", "Enqueue|Away", null)]
    [InlineData("| `Cause` | `FailCause` |", "Cause", "FailCause", null)]
    [InlineData("| `Cause` | `FailCause` |", "Cause|Late", "FailCause|Slow",
        "P: Cause.Late is gone: name `Cause.Late` in CHANGELOG.md")]
    [InlineData("| `Kept`, `Kept.Part` | `Held`, `Held.Piece` |", "Kept|Part", "Held|Piece", null)]
    [InlineData("| `Kept` | `Held` |", "Kept", "Held", null)]
    [InlineData("| `Kept` | `Held` |", "Kept|Part", "Held|Piece",
        "P: Kept.Part is gone: name `Kept.Part` in CHANGELOG.md")]
    [InlineData("| `Kept` | `Heldd` |", "Kept", "Held",
        "CHANGELOG.md: the table says that `Kept` is now `Heldd`, which api/ does not have")]
    [InlineData("| `Kept.Post` | `Kept.Fail` with a cause |", "Post", "Enqueue", null)]
    [InlineData("| `Tool.Option` | `Tool.Other` |", "Post", "Post", null)]
    public void Compare_Table_CoversRenames(string row, string before, string now, string? expected)
    {
        string code = before.Split('|').Zip(now.Split('|')).Aggregate(OldCode,
            (text, pair) => text.Replace(pair.First, pair.Second, StringComparison.Ordinal));
        Build(code);
        WriteChangelog($"### Renamed\n\n| before | now | why |\n|---|---|---|\n{row} a reason |");

        AssertFault(expected);
    }

    [Theory]
    [InlineData("`Kept.Post(int)`", "CHANGELOG.md: `Kept.Post` is an old name: use `Kept.Enqueue` outside the table's "
        + "first column")]
    [InlineData("`Kept.Enqueue`", null)]
    public void Compare_OldNameOutsideTheTable_IsRefused(string text, string? expected)
    {
        Build(OldCode.Replace("Post", "Enqueue", StringComparison.Ordinal));
        WriteChangelog($"### Renamed\n\n| `Kept.Post` | `Kept.Enqueue` | a reason |\n\n### Added\n\n- {text}");

        AssertFault(expected);
    }

    /// <summary>The heading of the version comes before the lists of the release are copied.</summary>
    [Theory]
    [InlineData("## [0.2.0] - 2030-01-01", true)]
    [InlineData("## [0.1.0] - 2030-01-01", false)]
    public void Compare_PartOfAVersion_CountsUntilTheNext(string heading, bool counts)
    {
        Build(OldCode.Replace("public int Count { get; }", "", StringComparison.Ordinal));
        WriteChangelog($"{heading}\n\n### Removed\n- `Kept.Count`");

        Assert.Equal(counts ? 0 : 1, Compare().ExitCode);
    }

    [Theory]
    [InlineData("", "Q: is a new package: name `Q` in CHANGELOG.md")]
    [InlineData("### Added\n- The package `Q`", null)]
    public void Compare_NewPackage_MustBeNamed(string changelog, string? expected)
    {
        Write("src/Q/Q.csproj", "<Project><IsPackable>true</IsPackable></Project>");
        Build("public class C { }", "Q");
        WriteChangelog(changelog);

        AssertFault(expected);
    }

    [Theory]
    [InlineData("", "O: is not packed now: name `O` in CHANGELOG.md")]
    [InlineData("### Removed\n- The package `O`", null)]
    public void Compare_PackageThatIsGone_MustBeNamed(string changelog, string? expected)
    {
        Write("api/released/O.txt", "N.C: public class C\n");
        WriteChangelog(changelog);

        AssertFault(expected);
    }

    /// <summary>A line of a list gives the name that the changelog must have.</summary>
    [Theory]
    [InlineData("public bool operator ==(in C<T> left, in C<T> right);", "C.operator ==")]
    [InlineData("public Datagram this[int index] { get; }", "C.this")]
    [InlineData("public D<TState> Make<TState>(Func<int, int> f);", "C.Make")]
    [InlineData("[Obsolete(\"x\")] public int[] Get();", "C.Get")]
    [InlineData("public Func<int, int>? Customize { get; set; }", "C.Customize")]
    [InlineData("public const int Max = 3;", "C.Max")]
    [InlineData("public static readonly C<T> Empty;", "C.Empty")]
    [InlineData("public (int A, int B) Pair();", "C.Pair")]
    [InlineData("Closed = 3;", "C.Closed")]
    [InlineData("protected C(int a);", "new C")]
    public void NameOf_LineOfAList_IsItsMember(string line, string expected)
    {
        var list = new ApiList(["N.C<T>: public class C<T>", $"N.C<T>: {line}"]);

        Assert.Equal(expected, list.NameOf("N.C<T>", list.Members[1].Name));
    }

    [Fact]
    public void Compare_ManyFaults_ShowsSome()
    {
        Build(string.Concat(Enumerable.Range(0, 30).Select(i => $"public class C{i:00} {{ }}")) + OldCode.Replace(
            "namespace N;", "", StringComparison.Ordinal));
        WriteChangelog("### Removed\n- `Kept`, `Gone`, `Cause`");

        string[] lines = Compare().Output.TrimEnd().Split('\n');

        Assert.Equal(CompareApiCommand.MaxFaults + 2, lines.Length);
        Assert.Equal("and 10 more", lines[^2]);
    }

    [Fact]
    public async Task Pack_OfAnUnnamedRemoval_StopsBeforeItPacks()
    {
        PackedPackages.SkipWithoutPackages();
        Build(OldCode.Replace("public int Count { get; }", "", StringComparison.Ordinal));
        Write("pack.sh", Sources.Read("pack.sh"));
        Write("src/Spate.Cli/bin/Release/net10.0/Spate.Cli.dll", "");
        Directory.CreateSymbolicLink(Path.Combine(_top.FullName, "tools"), Path.Combine(Sources.Top, "tools"));

        ShellResult result = await Shell.RunAsync(Shell.StartInfo(
            _top.FullName, packages: null, "bash", "pack.sh", "--no-build", "--output", "out"));

        Assert.True(result.ExitCode == 1, result.All);
        Assert.StartsWith(
            "P: Kept.Count is gone: name `Kept.Count` in CHANGELOG.md\n", result.Error, StringComparison.Ordinal);
        Assert.Empty(Directory.EnumerateFiles(Path.Combine(_top.FullName, "out")));
    }

    private void AssertFault(string? expected)
    {
        (int exitCode, string output) = Compare();

        Assert.Equal(expected is null ? (0, "") : (1, expected), (exitCode, output.Split('\n')[0]));
    }

    private (int ExitCode, string Output) Compare()
    {
        using var output = new StringWriter();
        int exitCode = CompareApiCommand.Compare(_top.FullName, "Release", output);
        return (exitCode, output.ToString().ReplaceLineEndings("\n"));
    }

    /// <summary>Makes the assembly of a package, and its list.</summary>
    private void Build(string code, string package = "P")
    {
        string path = Path.Combine(_top.FullName, "src", package, "bin", "Release", "net10.0", package + ".dll");
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        CSharpCompilation source = new SourceModel([Offender.At("C.cs", code)])
            .Compilation.WithAssemblyName(package);
        Assert.True(source.Emit(path, cancellationToken: TestContext.Current.CancellationToken).Success);
        PackageAssemblies built = PackageAssemblies.Load(_top.FullName, [package], "Release");
        Write($"api/{package}.txt", string.Join('\n', ApiSurface.Of(built.Of(package))) + "\n");
    }

    private void WriteChangelog(string unreleased) => Write(
        "CHANGELOG.md",
        $"# Changelog\n\n## [Unreleased]\n\n{unreleased}\n\n## [0.1.0]\n\n### Removed\n- `Kept.Count`\n");

    private string Read(string path) => File.ReadAllText(Path.Combine(_top.FullName, path));

    private void Write(string path, string text)
    {
        string full = Path.Combine(_top.FullName, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, text);
    }
}
