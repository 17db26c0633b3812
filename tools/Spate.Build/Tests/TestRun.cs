using System.Diagnostics;

namespace Spate.Build.Tests;

/// <summary>One run of a test program, or of a part of its tests.</summary>
/// <param name="Title">What the table of steps calls it.</param>
/// <param name="Program">The assembly of the tests.</param>
/// <param name="Arguments">Which of its tests, and on how many threads.</param>
internal sealed record TestRun(string Title, string Program, params string[] Arguments)
{
    /// <summary>Where the counts of the lines that run are added up; null where nobody asks.</summary>
    public string? CoverageFile { get; init; }

    /// <summary>Runs it to its end, or ends it with all that it has started when it takes too long.</summary>
    /// <param name="folder">Where its report and its log go.</param>
    /// <param name="maxSeconds">How long it may take.</param>
    public async Task<TestRunEnd> ExecuteAsync(string folder, int maxSeconds)
    {
        long start = Stopwatch.GetTimestamp();
        string file = Path.Combine(folder, Title.Replace(' ', '-').Replace(':', '-'));
        string report = file + ".xml";
        using Process process = Process.Start(new ProcessStartInfo("dotnet", Words(report))
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        process.StandardInput.Close();
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(maxSeconds));
        Task<string> output = process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        Task<string> error = process.StandardError.ReadToEndAsync(CancellationToken.None);
        bool isLate = false;
        try
        {
            await process.WaitForExitAsync(patience.Token);
        }
        catch (OperationCanceledException)
        {
            isLate = true;
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None);
        }

        string log = await output + await error;
        await File.WriteAllTextAsync(file + ".log", log, CancellationToken.None);
        TimeSpan time = Stopwatch.GetElapsedTime(start);
        try
        {
            if (isLate) throw new BuildException($"it was stopped after {maxSeconds} s");
            return new TestRunEnd(this, ReadResults(report, process.ExitCode), time);
        }
        catch (BuildException fault)
        {
            string last = string.Join('\n', log.Split('\n').TakeLast(30));
            return new TestRunEnd(
                this, [new TestResult(null, Title, TestOutcome.Failed, $"{fault.Message}\n{last}", 0)], time);
        }
    }

    private static List<TestResult> ReadResults(string report, int exitCode)
    {
        List<TestResult> results = TestResult.ReadReport(report);
        if (results.Count == 0) throw new BuildException("it ran no test");

        return exitCode == 0 || results.Exists(static one => one.Outcome == TestOutcome.Failed)
            ? results
            : throw new BuildException($"it reported no failed test but ended with exit code {exitCode}");
    }

    // coverlet changes the assemblies, runs the tests and adds what they ran to the file.
    private string[] Words(string report)
    {
        string[] tests = [Program, "-noLogo", "-noColor", "-noAutoReporters", .. Arguments, "-xml", report];
        if (CoverageFile is null) return tests;

        string[] merge = File.Exists(CoverageFile) ? [$"-p:MergeWith={CoverageFile}"] : [];
        return
        [
            "msbuild", "tests/Coverage/coverage.proj", "-nodeReuse:false", "-nologo", "-v:minimal", "-t:Cover",
            $"-p:TargetPath={Path.GetFullPath(Program)}", $"-p:CoverletOutput={CoverageFile}", .. merge,
            $"-p:TestCommand=dotnet {string.Join(' ', tests.Select(static word => $"'{word}'"))}",
        ];
    }
}

/// <summary>What a run left behind.</summary>
internal sealed record TestRunEnd(TestRun Run, List<TestResult> Results, TimeSpan Time);
