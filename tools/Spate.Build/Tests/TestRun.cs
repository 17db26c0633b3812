using System.Diagnostics;

namespace Spate.Build.Tests;

/// <summary>One run of a test program, or of a part of its tests.</summary>
/// <param name="Title">Its name in the table of steps.</param>
/// <param name="Program">The assembly of the tests.</param>
/// <param name="Arguments">The filters of its tests, and the number of threads.</param>
internal sealed record TestRun(string Title, string Program, params string[] Arguments)
{
    /// <summary>The file to which the counts of covered lines are added; null for a run without them.</summary>
    public string? CoverageFile { get; init; }

    /// <summary>The seed of random tests; null for a new one.</summary>
    public string? Seed { get; init; }

    /// <summary>Runs it to its end, or ends it, with all that it has started, when it takes too long.</summary>
    /// <param name="folder">The folder of its report and its log.</param>
    /// <param name="maxSeconds">The longest time that it may take.</param>
    /// <param name="stop">Ends it early.</param>
    public async Task<TestRunEnd> ExecuteAsync(string folder, int maxSeconds, CancellationToken stop)
    {
        long start = Stopwatch.GetTimestamp();
        string file = Path.Combine(folder, Title.Replace(' ', '-').Replace(':', '-'));
        string report = file + ".xml";
        List<string> lines = [];
        var child = new Child($"{Environment.ProcessId} {Title}");
        if (Seed is not null) child.Environment["SPATE_SEED"] = Seed;
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(stop);
        patience.CancelAfter(TimeSpan.FromSeconds(maxSeconds));
        int? code = await child.TryRunAsync(".", "dotnet", Words(report), lines.Add, patience.Token);
        child.EndAll();
        stop.ThrowIfCancellationRequested();
        await File.WriteAllLinesAsync(file + ".log", lines, stop);
        TimeSpan time = Stopwatch.GetElapsedTime(start);
        try
        {
            return code is null
                ? throw new BuildException($"it was stopped after {maxSeconds} s")
                : new TestRunEnd(this, ReadResults(report, code.Value), time) { Log = lines };
        }
        catch (BuildException fault)
        {
            string last = string.Join('\n', lines.TakeLast(30));
            return new TestRunEnd(
                this, [new TestResult(null, Title, TestOutcome.Failed, $"{fault.Message}\n{last}", 0)], time)
            {
                Log = lines,
            };
        }
    }

    /// <summary>
    /// The arguments of dotnet. With coverage, coverlet instruments the assemblies, runs the tests and adds the lines
    /// that they ran to the file; it runs them in its own folder.
    /// </summary>
    internal string[] Words(string report)
    {
        string[] tests =
            [Path.GetFullPath(Program), "-noLogo", "-noColor", "-noAutoReporters", .. Arguments, "-xml", report];
        if (CoverageFile is null) return tests;

        string[] merge = File.Exists(CoverageFile) ? [$"-p:MergeWith={CoverageFile}"] : [];
        return
        [
            "msbuild", "tests/Coverage/coverage.proj", "-nodeReuse:false", "-nologo", "-v:minimal", "-t:Cover",
            $"-p:TargetPath={Path.GetFullPath(Program)}", $"-p:CoverletOutput={CoverageFile}", .. merge,
            $"-p:TestCommand=dotnet {string.Join(' ', tests.Select(static word => $"'{word}'"))}",
        ];
    }

    private static List<TestResult> ReadResults(string report, int exitCode)
    {
        List<TestResult> results = TestResult.ReadReport(report);
        if (results.Count == 0) throw new BuildException("it ran no test");

        return exitCode == 0 || results.Exists(static one => one.Outcome == TestOutcome.Failed)
            ? results
            : throw new BuildException($"it reported no failed test but ended with exit code {exitCode}");
    }
}

/// <summary>The result of a run.</summary>
internal sealed record TestRunEnd(TestRun Run, List<TestResult> Results, TimeSpan Time)
{
    /// <summary>What it printed, line by line.</summary>
    public IReadOnlyList<string> Log { get; init; } = [];
}
