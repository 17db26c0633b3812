using System.Text.RegularExpressions;

namespace Spate.Build.Tests;

/// <summary>
/// Which tests run when. Most need nothing that others disturb, and wait more than they compute: their programs run
/// beside each other. Tests that look at a whole process have a process of their own; tests of the host's network and
/// its load follow when all else has ended.
/// </summary>
internal static partial class TestPlan
{
    private const string Trait = "group";
    private const string ProcessWide = "ProcessWide";
    private const string QuietHost = "QuietHost";

    // The longest first, so that none is left over at the end. A namespace is a part of its program with a process of
    // its own: brokers and packages are waited for one after the other, and contracts block threads of the pool.
    private static readonly string[] Order =
    [
        "Spate.HostTests.Gateway", "Spate.Tests", "Spate.HostTests", "Spate.CliTests", "Spate.Tests.Contracts",
        "Spate.RepoTests.Packages", "Spate.RepoTests",
    ];

    // Where tests run commands of the tool.
    private static readonly string[] Commands =
        ["Spate.CliTests", "Spate.HostTests.Cli", "Spate.HostTests.Gateway.Reading"];

    /// <summary>The test programs of the repository as they are built.</summary>
    /// <param name="configuration">The build.</param>
    /// <param name="pattern">The names of the programs.</param>
    /// <exception cref="BuildException">One of them is not built.</exception>
    public static Dictionary<string, string> FindPrograms(string configuration, string pattern = "*Tests")
    {
        var programs = new Dictionary<string, string>();
        foreach (string project in Projects(pattern))
        {
            string name = Path.GetFileNameWithoutExtension(project);
            string bin = Path.Combine(Path.GetDirectoryName(project)!, "bin", configuration);
            string? program = Directory.Exists(bin)
                ? Directory.GetFiles(bin, name + ".dll", SearchOption.AllDirectories)
                    .MinBy(static path => path.Length)
                : null;
            programs.Add(name, program ?? throw new BuildException($"{name} was not built: is it in Spate.slnx?"));
        }

        return programs;
    }

    /// <summary>The runs that may go in parallel.</summary>
    public static List<TestRun> InParallel(IReadOnlyDictionary<string, string> programs, string top = ".")
    {
        List<TestRun> runs = [.. Plain(programs)];
        runs.InsertRange(1, Of(programs, ProcessWide, top));
        return runs;
    }

    /// <summary>The runs of the tests that are in no group: each test is in one of them.</summary>
    public static IEnumerable<TestRun> Plain(IReadOnlyDictionary<string, string> programs) =>
        from name in Order.Union(programs.Keys.Order())
        from program in programs
        where IsIn(name, program.Key)
        select Plain(
            name,
            program.Value,
            name == program.Key ? [.. PartsOf(name).SelectMany(static part => Filter("-", part))] : Filter("", name));

    /// <summary>The runs that go one after the other, with nothing beside them.</summary>
    public static List<TestRun> Alone(IReadOnlyDictionary<string, string> programs, string top = ".") =>
        [.. Of(programs, QuietHost, top)];

    /// <summary>The same runs of a build with the library's assertions: those in parallel, and those alone.</summary>
    public static (List<TestRun> InParallel, List<TestRun> Alone) Asserting(
        IReadOnlyDictionary<string, string> programs, string top = ".")
    {
        return (Named(InParallel(programs, top)), Named(Alone(programs, top)));

        static List<TestRun> Named(List<TestRun> runs) =>
            [.. runs.Select(static run => run with { Title = $"with assertions: {run.Title}" })];
    }

    /// <summary>
    /// The same runs of the programs that run the sources, one after the other, since their counts add up.
    /// </summary>
    public static List<TestRun> Covered(IReadOnlyDictionary<string, string> programs, string coverageFile)
    {
        Dictionary<string, string> covered = programs
            .Where(static one => one.Key is not "Spate.RepoTests")
            .ToDictionary(static one => one.Key, static one => one.Value);
        return
        [
            .. InParallel(covered).Concat(Alone(covered)).Select(run => run with { CoverageFile = coverageFile }),
        ];
    }

    /// <summary>
    /// The runs of the tests of commands, which the native tool can take: those in parallel, and those alone.
    /// </summary>
    public static (List<TestRun> InParallel, List<TestRun> Alone) Native(
        IReadOnlyDictionary<string, string> programs, string top = ".")
    {
        (string Part, string Program, string Folder)[] parts =
        [
            .. from part in Commands
               from program in programs
               where IsIn(part, program.Key)
               select (part, program.Value, FolderOf(part, program.Key, top)),
        ];
        return (
            [
                .. parts.Select(static one => Plain(one.Part, one.Program, Filter("", one.Part))),
                .. OfGroup(ProcessWide),
            ],
            [.. OfGroup(QuietHost)]);

        IEnumerable<TestRun> OfGroup(string name) =>
            parts.SelectMany(one => Of(one.Part, one.Program, one.Folder, name, Filter("", one.Part)));
    }

    /// <summary>Second tries: one run for a program and a seed, with nothing beside it.</summary>
    public static IEnumerable<TestRun> SecondTries(IEnumerable<(string Program, string Method, string? Seed)> tests) =>
        tests.GroupBy(static one => (one.Program, one.Seed)).Select(static group => new TestRun(
            $"{Path.GetFileNameWithoutExtension(group.Key.Program)}: second try {group.Key.Seed}".TrimEnd(),
            group.Key.Program,
            [
                "-parallel", "none",
                .. group.Select(static one => one.Method).Distinct()
                    .SelectMany(static method => (string[])["-method", method]),
            ])
        {
            Seed = group.Key.Seed,
        });

    private static IEnumerable<string> PartsOf(string program) =>
        Order.Where(part => part != program && IsIn(part, program));

    private static TestRun Plain(string title, string program, string[] filter) => new(
        title,
        program,
        [
            "-maxThreads", "2.0x", "-trait-", $"{Trait}={ProcessWide}", "-trait-", $"{Trait}={QuietHost}", .. filter,
        ]);

    private static IEnumerable<TestRun> Of(
        IReadOnlyDictionary<string, string> programs, string name, string top) =>
        programs.OrderBy(static one => one.Key, StringComparer.Ordinal)
            .SelectMany(one => Of(one.Key, one.Value, FolderOf(one.Key, one.Key, top), name));

    // A part without such a class would report a run without tests, which is a failure elsewhere.
    private static TestRun[] Of(string part, string program, string folder, string name, params string[] filter) =>
        Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories)
            .Any(path => HasGroup(File.ReadAllText(path), name))
            ? [new TestRun($"{part}: {name}", program, ["-maxThreads", "2", "-trait", $"{Trait}={name}", .. filter])]
            : [];

    private static string FolderOf(string part, string program, string top = ".") => Path.Combine(
        [Path.GetDirectoryName(Projects(program, top)[0])!, .. part[program.Length..].Split('.')]);

    private static string[] Projects(string name, string top = ".") =>
        Directory.GetFiles(Path.Combine(top, "tests"), name + ".csproj", SearchOption.AllDirectories);

    private static string[] Filter(string without, string part) => [$"-namespace{without}", part + "*"];

    private static bool IsIn(string space, string program) =>
        space == program || space.StartsWith(program + ".", StringComparison.Ordinal);

    private static bool HasGroup(string source, string name) =>
        GroupAttribute().Matches(source).Any(one => (one.Groups["name"].Value is ProcessWide) == (name is ProcessWide));

    [GeneratedRegex(
        @"^\s*\[(\w+, )*(?<name>ProcessWide|QuietHost|NamespaceLoad)\(",
        RegexOptions.ExplicitCapture | RegexOptions.Multiline, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex GroupAttribute();
}
