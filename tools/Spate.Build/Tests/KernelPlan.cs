namespace Spate.Build.Tests;

/// <summary>
/// The tests that depend on the kernel, for a virtual machine with another kernel (<c>tests/Kernels</c>). The programs
/// run one after the other: an emulated CPU is slow, and tests that wait for a CPU would fail.
/// </summary>
internal static class KernelPlan
{
    private const string LeftOut = "tests/Kernels/left-out.txt";
    private const string Everywhere = "all";

    // No kernel: the host checks the headers of arm64, whose machine has no compiler.
    private const string Headers = "arm64-headers";

    // Missing functions of kernels, by the reason of the tests that are skipped for them.
    private static readonly (string Kernel, string Reason)[] Lacks =
    [
        ("5.10", "multishot receive needs Linux 6.0"),
        ("5.10", "is older than 5.12, before which UDP_GRO loses data"),
    ];

    /// <summary>
    /// The suites of the table: a title, the program, and the spaces of the tests, each the name of a class, or of a
    /// namespace, which ends in <c>.*</c>.
    /// </summary>
    private static readonly KernelSuite[] Suites =
    [
        new("structs and constants against C headers", "Spate.HostTests", "Spate.HostTests.Abi.*")
        {
            IsOnHost = "arm64",
        },
        new("fast paths by version", "Spate.HostTests", "Spate.HostTests.Kernels.*"),
        new("contracts of Mmsg, Uring and Portable, with and without offloads", "Spate.Tests",
            "Spate.Tests.Contracts.MmsgContract", "Spate.Tests.Contracts.MmsgPlainContract",
            "Spate.Tests.Contracts.UringContract", "Spate.Tests.Contracts.UringPlainContract",
            "Spate.Tests.Contracts.PortableContract"),
        new("io_uring, also refused by seccomp", "Spate.Tests", "Spate.Tests.Sockets.Uring.*"),
        new("send, receive and test", "Spate.CliTests",
            "Spate.CliTests.Send.*", "Spate.CliTests.Traffic.*", "Spate.CliTests.Test.*")
        {
            MaxThreads = "1",
        },
        new("qdiscs", "Spate.HostTests", "Spate.HostTests.Qdiscs.*") { Only = "6.12" },
    ];

    /// <summary>The runs on a kernel, without what its list leaves out.</summary>
    /// <param name="kernel">A name of <c>tests/Kernels/kernels.txt</c>.</param>
    /// <param name="programs">The test programs.</param>
    public static List<TestRun> Read(string kernel, IReadOnlyDictionary<string, string> programs)
    {
        string[] without = [.. LeftOutOn(kernel).SelectMany(static one => (string[])["-method-", one])];
        return
        [
            .. from suite in Suites
               where suite.RunsOn(kernel)
               select new TestRun(
                   suite.Title, programs[suite.Program],
                   ["-maxThreads", suite.MaxThreads, .. suite.Filter, .. without]),
        ];
    }

    /// <summary>
    /// A skipped test as failed, unless another run has it or its kernel lacks the function: so a suite that has not
    /// failed has run.
    /// </summary>
    public static TestResult Judge(string kernel, TestResult one) =>
        one.Outcome != TestOutcome.Skipped || one.IsForAnotherRun
            || Array.Exists(
                Lacks,
                lack => lack.Kernel == kernel && one.Message.Contains(lack.Reason, StringComparison.Ordinal))
            ? one
            : one with { Outcome = TestOutcome.Failed, Message = $"skipped on {kernel}: {one.Message}" };

    /// <summary>
    /// Rows of the two tables, without the column of the kernel: each suite, after the word "suite", and each reason to
    /// skip, after the word "reason".
    /// </summary>
    public static IEnumerable<string> Lines(IReadOnlyCollection<TestRunEnd> ends, TestTotals totals)
    {
        TestResult[] all = totals.All();
        foreach (KernelSuite suite in Suites)
        {
            if (ends.FirstOrDefault(end => end.Run.Title == suite.Title) is not { } end) continue;

            TestResult[] own = Array.FindAll(all, suite.Has);
            int skipped = own.Count(IsSkipped);
            yield return $"suite | {suite.Title} | {own.Count(static one => one.Outcome == TestOutcome.Passed)} "
                + $"| {skipped} | {own.Count(static one => one.Outcome == TestOutcome.Failed)} "
                + $"| {end.Time.TotalSeconds:0} |";
        }

        foreach (IGrouping<string, TestResult> reason in all.Where(IsSkipped).GroupBy(static one => one.Message)
            .OrderByDescending(static reason => reason.Count()))
        {
            yield return $"reason | {reason.Key.ReplaceLineEndings(" ").Replace('|', '/')} | {reason.Count()} |";
        }
    }

    // Lines of a kernel or "all", a method, and the reason.
    private static IEnumerable<string> LeftOutOn(string kernel) => File.ReadLines(LeftOut)
        .Where(static line => line.Length > 0 && line[0] != '#')
        .Select(static line => line.Split(' ', 3, StringSplitOptions.RemoveEmptyEntries))
        .Select(static words => words.Length == 3
            ? words
            : throw new BuildException(
                $"{LeftOut}: expected a kernel, a method and a reason in '{string.Join(' ', words)}'"))
        .Where(words => words[0] == kernel || words[0] == Everywhere)
        .Select(static words => words[1]);

    private static bool IsSkipped(TestResult one) => one.Outcome is TestOutcome.Skipped or TestOutcome.NotJudged;

    private sealed record KernelSuite(string Title, string Program, params string[] Spaces)
    {
        /// <summary>The only kernel that it runs on; null for all.</summary>
        public string? Only { get; init; }

        /// <summary>The kernel in whose place the host runs it, as <see cref="Headers"/>.</summary>
        public string? IsOnHost { get; init; }

        /// <summary>
        /// The classes that run at the same time. Most tests wait. Where both ends of <c>spate test</c> are one process
        /// and compile their first code, several keep an end from answering within 10 s.
        /// </summary>
        public string MaxThreads { get; init; } = "2.0x";

        public bool RunsOn(string kernel) =>
            kernel == Headers ? IsOnHost is not null : kernel != IsOnHost && (Only ?? kernel) == kernel;

        public string[] Filter =>
        [
            .. Spaces.SelectMany(static space => space.EndsWith(".*", StringComparison.Ordinal)
                ? (string[])["-namespace", space[..^2] + "*"]
                : ["-class", space]),
        ];

        public bool Has(TestResult one) => Array.Exists(
            Spaces,
            space => one.Method?.StartsWith(space.TrimEnd('*').TrimEnd('.') + ".", StringComparison.Ordinal) is true);
    }
}
