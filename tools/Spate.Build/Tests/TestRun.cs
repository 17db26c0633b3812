using System.Diagnostics;

namespace Spate.Build.Tests;

/// <summary>One run of a test program, or of a part of its tests.</summary>
/// <param name="Title">Its name in the table of steps.</param>
/// <param name="Program">The assembly of the tests; or their program for Windows, which Wine runs.</param>
/// <param name="Arguments">The filters of its tests, and the number of threads.</param>
internal sealed record TestRun(string Title, string Program, params string[] Arguments)
{
    /// <summary>
    /// The beginning of a line about an assertion that failed. FailedAssertions of Spate.Tests prints the line.
    /// </summary>
    public const string FailedAssertionMark = "Debug.Assert failed: ";

    private const int MaxAssertionCount = 10;

    /// <summary>The file to which the counts of covered lines are added; null for a run without them.</summary>
    public string? CoverageFile { get; init; }

    /// <summary>The seed of random tests; null for a new one.</summary>
    public string? Seed { get; init; }

    /// <summary>The backend for sockets whose options name none (SPATE_BACKEND); null for that of the system.</summary>
    public string? Backend { get; init; }

    /// <summary>Whether Wine runs it.</summary>
    public bool IsForWindows => Program.EndsWith(".exe", StringComparison.Ordinal);

    /// <summary>
    /// Its folder, if it runs over the stand-in for what Wine lacks of Winsock, which test.sh puts there.
    /// </summary>
    private string? StandIn => IsForWindows && Path.GetDirectoryName(Path.GetFullPath(Program)) is { } folder
        && File.Exists(Path.Combine(folder, "standin.dll")) ? folder : null;

    /// <summary>Runs it to its end, or ends it, with all that it has started, when it takes too long.</summary>
    /// <param name="folder">The folder of its report and its log.</param>
    /// <param name="maxSeconds">The longest time that it may take.</param>
    /// <param name="stop">Ends it early.</param>
    public async Task<TestRunEnd> ExecuteAsync(string folder, int maxSeconds, CancellationToken stop)
    {
        long start = Stopwatch.GetTimestamp();
        string file = Path.Combine(folder, Title.Replace(' ', '-').Replace(':', '-'));
        string report = file + ".xml";
        File.Delete(report);
        List<string> lines = [];
        var child = new Child($"{Environment.ProcessId} {Title}");
        if (Seed is not null) child.Environment["SPATE_SEED"] = Seed;
        if (Backend is not null) child.Environment["SPATE_BACKEND"] = Backend;
        if (StandIn is { } own)
        {
            child.Environment["SPATE_STANDIN"] = OfWine(own, "standin.dll");
            child.Environment["DOTNET_STARTUP_HOOKS"] = OfWine(own, "Spate.StandIn.dll");
        }

        using var patience = CancellationTokenSource.CreateLinkedTokenSource(stop);
        patience.CancelAfter(TimeSpan.FromSeconds(maxSeconds));
        int? code = await child.TryRunAsync(
            ".", IsForWindows ? "wine" : "dotnet", Words(report), lines.Add, patience.Token);
        // A test that builds starts the compiler's server, which is to be ended like this.
        string[] left = [.. child.EndAll().Where(static name => name != "VBCSCompiler")];
        stop.ThrowIfCancellationRequested();
        await File.WriteAllLinesAsync(file + ".log", lines, stop);
        List<TestResult> results = code is null
            ? [Fault([$"it was stopped after {maxSeconds} s", .. LongRunning(lines)], lines)]
            : ReadResults(report, code.Value, lines);
        results.AddRange(FailedAssertions(lines));
        return new TestRunEnd(this, results, Stopwatch.GetElapsedTime(start)) { Log = lines, Left = left };
    }

    /// <summary>The results of the report, and a failure of the program where they do not explain its end.</summary>
    internal List<TestResult> ReadResults(string report, int exitCode, IReadOnlyList<string> lines)
    {
        try
        {
            List<TestResult> results = TestResult.ReadReport(report);
            if (results.Count == 0) throw new BuildException("it ran no test");

            // The runner's code for failed tests is 1; coverlet's project leaves it out.
            bool hasFailed = CoverageFile is null && results.Exists(static one => one.Outcome == TestOutcome.Failed);
            if (exitCode != 0 && !(exitCode == 1 && hasFailed))
            {
                results.Add(Fault([$"it ended with exit code {exitCode}"], lines));
            }

            return results;
        }
        catch (BuildException fault)
        {
            return [Fault([$"{fault.Message}; exit code {exitCode}"], lines)];
        }
    }

    /// <summary>The runner's last line about each test that ran for more than a minute.</summary>
    internal static IEnumerable<string> LongRunning(IEnumerable<string> lines) => lines.Reverse()
        .Select(static line => (Line: line, Start: line.IndexOf("[Long Running Test]", StringComparison.Ordinal)))
        .Where(static one => one.Start >= 0).Select(static one => one.Line[one.Start..])
        .DistinctBy(static text => text.Split(", Elapsed:")[0]).Take(10);

    /// <summary>
    /// A failure for each assertion that failed, whatever became of the test: code under test may catch the exception,
    /// and a second try that passes shows nothing.
    /// </summary>
    internal IEnumerable<TestResult> FailedAssertions(IEnumerable<string> lines) => lines
        .Select(static line => (Line: line, Start: line.IndexOf(FailedAssertionMark, StringComparison.Ordinal)))
        .Where(static one => one.Start >= 0).Select(static one => one.Line[one.Start..]).Distinct()
        .Take(MaxAssertionCount)
        .Select(text => new TestResult(null, $"{Title}: {text}", TestOutcome.Failed, text, 0));

    /// <summary>
    /// The arguments of dotnet or of Wine. With coverage, coverlet instruments the assemblies, runs the tests and adds
    /// the lines that they ran to the file; it runs them in its own folder.
    /// </summary>
    internal string[] Words(string report)
    {
        string[] tests =
        [
            Path.GetFullPath(Program), "-noLogo", "-noColor", "-noAutoReporters", "-longRunning", "60", .. Arguments,
            "-xml", report,
        ];
        if (CoverageFile is null) return tests;

        string[] merge = File.Exists(CoverageFile) ? [$"-p:MergeWith={CoverageFile}"] : [];
        return
        [
            "msbuild", "tests/Coverage/coverage.proj", "-nodeReuse:false", "-nologo", "-v:minimal", "-t:Cover",
            $"-p:TargetPath={Path.GetFullPath(Program)}", $"-p:CoverletOutput={CoverageFile}", .. merge,
            $"-p:TestCommand=dotnet {string.Join(' ', tests.Select(static word => $"'{word}'"))}",
        ];
    }

    // The runtime wants paths of Windows. Wine's drive Z is the root of the host.
    private static string OfWine(string folder, string file) => "Z:" + Path.Combine(folder, file).Replace('/', '\\');

    private TestResult Fault(IEnumerable<string> message, IEnumerable<string> lines) =>
        new(null, Title, TestOutcome.Failed, string.Join('\n', message.Concat(lines.TakeLast(30))), 0);
}

/// <summary>The result of a run.</summary>
internal sealed record TestRunEnd(TestRun Run, List<TestResult> Results, TimeSpan Time)
{
    /// <summary>What it printed, line by line.</summary>
    public IReadOnlyList<string> Log { get; init; } = [];

    /// <summary>The names of the commands that it left behind, and that were ended.</summary>
    public string[] Left { get; init; } = [];
}
