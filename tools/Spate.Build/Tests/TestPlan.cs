namespace Spate.Build.Tests;

/// <summary>
/// Which tests run when. Most need nothing that others disturb, and wait more than they compute: their programs run
/// beside each other. Tests that look at a whole process have a process of their own; tests of the host's network and
/// its load follow when all else has ended.
/// </summary>
internal static class TestPlan
{
    private const string Trait = "group";
    private const string ProcessWide = "ProcessWide";
    private const string QuietHost = "QuietHost";

    // The longest first, so that none is left over at the end.
    private static readonly string[] Order =
    [
        "Spate.GatewayTests", "Spate.Tests", "Spate.CliTests", "Spate.ContractTests", "Spate.PackageTests",
        "Spate.RepoTests",
    ];

    /// <summary>The test programs of the repository as they are built.</summary>
    /// <exception cref="BuildException">One of them is not built.</exception>
    public static Dictionary<string, string> FindPrograms(string configuration)
    {
        var programs = new Dictionary<string, string>();
        foreach (string project in Directory.GetFiles("tests", "*Tests.csproj", SearchOption.AllDirectories))
        {
            string name = Path.GetFileNameWithoutExtension(project);
            string bin = Path.Combine(Path.GetDirectoryName(project)!, "bin", configuration);
            string? program = Directory.Exists(bin)
                ? Directory.GetFiles(bin, name + ".dll", SearchOption.AllDirectories).Order().FirstOrDefault()
                : null;
            programs.Add(name, program ?? throw new BuildException($"{name} was not built: is it in Spate.slnx?"));
        }

        return programs;
    }

    /// <summary>The runs that may go beside each other.</summary>
    public static List<TestRun> Beside(IReadOnlyDictionary<string, string> programs)
    {
        var runs = new List<TestRun>();
        foreach (string name in programs.Keys.OrderBy(static name => (uint)Array.IndexOf(Order, name)))
        {
            runs.Add(new TestRun(
                name, programs[name],
                "-maxThreads", "2.0x", "-trait-", $"{Trait}={ProcessWide}", "-trait-", $"{Trait}={QuietHost}"));
        }

        runs.InsertRange(1, Of(programs, ProcessWide));
        return runs;
    }

    /// <summary>The runs that go one after the other, with nothing beside them.</summary>
    public static List<TestRun> Alone(IReadOnlyDictionary<string, string> programs) => [.. Of(programs, QuietHost)];

    /// <summary>
    /// All tests of the programs that run the sources, one program after the other, since their counts add up.
    /// </summary>
    public static List<TestRun> Covered(IReadOnlyDictionary<string, string> programs, string coverageFile) =>
    [
        .. from program in programs
           where program.Key is not ("Spate.PackageTests" or "Spate.RepoTests")
           orderby program.Key
           select new TestRun(program.Key, program.Value) { CoverageFile = coverageFile },
    ];

    /// <summary>Second tries: one run a program, with nothing beside it.</summary>
    public static IEnumerable<TestRun> Again(IEnumerable<(string Program, string Method)> methods) =>
        methods.GroupBy(static one => one.Program).Select(static group => new TestRun(
            $"{Path.GetFileNameWithoutExtension(group.Key)}: second try",
            group.Key,
            ["-parallel", "none", .. group.Distinct().SelectMany(static one => (string[])["-method", one.Method])]));

    private static IEnumerable<TestRun> Of(IReadOnlyDictionary<string, string> programs, string group) =>
        from program in programs
        where Directory.EnumerateFiles($"tests/{program.Key}", "*.cs", SearchOption.AllDirectories)
            .Any(path => File.ReadLines(path).Any(line => line.StartsWith($"[{group}(", StringComparison.Ordinal)))
        orderby program.Key
        select new TestRun($"{program.Key}: {group}", program.Value, "-maxThreads", "2", "-trait", $"{Trait}={group}");
}
