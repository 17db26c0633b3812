using System.Xml.Linq;

namespace Spate.Build.Mutants;

/// <summary>A test project with the namespaces of its tests.</summary>
internal sealed record TestProgram(string Project, string[] Namespaces)
{
    public string Name => Path.GetFileNameWithoutExtension(Project);

    public string AssemblyIn(string top)
    {
        string output = Path.Combine(top, Path.GetDirectoryName(Project)!, "bin", "Debug");
        return Directory.EnumerateFiles(output, Name + ".dll", SearchOption.AllDirectories).First();
    }
}

/// <summary>Tests of one program, chosen by namespace.</summary>
internal sealed record Stage(TestProgram Program, string[] Included, string[] Excluded);

/// <summary>The tests that should notice a mutant, nearest first: their folders mirror those of the sources.</summary>
internal sealed class TestPrograms(IReadOnlyList<TestProgram> programs)
{
    // Namespaces, since one program holds the tests of several projects. A project that is not here is mirrored by
    // Spate.Tests.<its part of the name>. The tests of the tool run most of Measurement.
    private static readonly Dictionary<string, string[]> Mirrors = new(StringComparer.Ordinal)
    {
        ["Spate"] = ["Spate.Tests", "Spate.Tests.Contracts"],
        ["Spate.Cli"] = ["Spate.Tests.Cli", "Spate.CliTests", "Spate.HostTests.Cli"],
        ["Spate.Gateway"] = ["Spate.Tests.Gateway", "Spate.HostTests.Gateway"],
        ["Spate.HostTuning"] =
            ["Spate.Tests.HostTuning", "Spate.HostTests.HostTuning", "Spate.HostTests.Namespaces"],
        ["Spate.Measurement"] =
        [
            "Spate.Tests.Measurement", "Spate.Tests.Cli", "Spate.CliTests", "Spate.HostTests.Measurement",
            "Spate.HostTests.Cli", "Spate.HostTests.Namespaces",
        ],
    };

    private const string Space = "namespace ";

    public static TestPrograms Read(string top)
    {
        string[] projects =
        [
            .. Directory.EnumerateFiles(Path.Combine(top, "tests"), "*.csproj", SearchOption.AllDirectories)
                .Where(path => XDocument.Load(path).Descendants("IsTestProject").Any(one => one.Value == "true"))
                .Order(StringComparer.Ordinal),
        ];
        return new TestPrograms(
            [.. projects.Select(path => new TestProgram(Path.GetRelativePath(top, path), Read(path)))]);

        static string[] Read(string project) =>
        [
            .. Directory.EnumerateFiles(Path.GetDirectoryName(project)!, "*.cs", SearchOption.AllDirectories)
                .Select(File.ReadAllLines).Where(lines => lines.Any(IsTest)).SelectMany(lines => lines)
                .Where(line => line.StartsWith(Space, StringComparison.Ordinal))
                .Select(line => line[Space.Length..].TrimEnd(';')).Distinct().Order(StringComparer.Ordinal),
        ];
    }

    /// <summary>The programs with tests that mirror any source.</summary>
    public IEnumerable<TestProgram> Used(SourceTree sources) =>
        sources.Namespaces.Select(one => one.Project).Distinct()
            .SelectMany(project => StagesOf(project, project, [])).Select(stage => stage.Program).Distinct();

    /// <param name="project">the project that holds the mutant</param>
    /// <param name="space">the namespace that holds the mutant</param>
    /// <param name="spaces">all namespaces of the project</param>
    public IReadOnlyList<Stage> StagesOf(string project, string space, IReadOnlyCollection<string> spaces)
    {
        string[] roots = Mirrors.GetValueOrDefault(project) ?? [$"Spate.Tests{project["Spate".Length..]}"];
        (TestProgram Program, string Root)[] mirrors =
        [
            .. from root in roots
               from program in programs
               where program.Namespaces.Any(one => IsIn(one, root))
               select (program, root),
        ];
        if (mirrors.Length == 0) throw new BuildException($"no test has a namespace in {string.Join(" or ", roots)}");
        // A file that several projects compile can have the namespace of another one.
        string below = IsIn(space, project) ? space[project.Length..] : "";
        Dictionary<TestProgram, HashSet<string>> run = [];
        List<Stage> stages = [];
        foreach ((TestProgram program, string root) in mirrors)
        {
            Add(program, Nearest(program, root, below, root == roots[0]));
        }

        foreach ((TestProgram program, string root) in mirrors)
        {
            IEnumerable<string> ofRoot = program.Namespaces.Where(one => IsIn(one, root));
            Add(program, [.. ofRoot.Where(one => spaces.Contains(project + one[root.Length..]))]);
        }

        stages.AddRange(mirrors.Select(mirror => mirror.Program).Distinct()
            .Where(program => program.Namespaces.Length > run[program].Count)
            .Select(program => new Stage(program, [], [.. run[program]])));
        return stages;

        void Add(TestProgram program, string[] included)
        {
            if (!run.TryGetValue(program, out HashSet<string>? done)) run[program] = done = [];
            string[] left = [.. included.Where(done.Add)];
            if (left.Length > 0) stages.Add(new Stage(program, left, []));
        }
    }

    // The mirrored namespace with those in it, or else the nearest above. The root itself stands for the whole project,
    // so only its own tests are near; and those of the tool's root are near to nothing else.
    private static string[] Nearest(TestProgram program, string root, string inside, bool isFirst)
    {
        for (string at = inside; at.Length > 0; at = at[..at.LastIndexOf('.')])
        {
            string[] found = [.. program.Namespaces.Where(one => IsIn(one, root + at))];
            if (found.Length > 0) return found;
        }

        return isFirst || inside.Length == 0 ? [.. program.Namespaces.Where(one => one == root)] : [];
    }

    private static bool IsTest(string line) =>
        line.TrimStart().StartsWith("[Fact", StringComparison.Ordinal)
        || line.TrimStart().StartsWith("[Theory", StringComparison.Ordinal);

    private static bool IsIn(string space, string root) =>
        space == root || space.StartsWith(root + ".", StringComparison.Ordinal);
}
