using System.CommandLine;
using System.Globalization;

namespace Spate.Build.Tests;

/// <summary><c>tests</c>: runs the test programs, tries again what failed, and writes counts and times.</summary>
internal sealed class TestsCommand
{
    /// <summary>With more failures than these, it is not a neighbour of the machine that disturbed them.</summary>
    private const int MaxSecondTries = 20;

    private readonly string _folder;
    private readonly int _maxSeconds;
    private readonly CancellationToken _stop;
    private readonly Lock _lock = new();
    private readonly List<string> _stalled = [];

    private bool IsNative { get; init; }

    private string? Kernel { get; init; }

    private TestsCommand(string folder, int maxSeconds, CancellationToken stop)
    {
        _folder = folder;
        _maxSeconds = maxSeconds;
        _stop = stop;
    }

    public static Command Create()
    {
        var configuration = new Option<string>("--configuration")
        {
            Description = "the build whose test programs run",
            DefaultValueFactory = static _ => "Release",
        };
        var output = new Option<DirectoryInfo>("--output")
        {
            Description = "where the reports, the logs and the files 'counts' and 'steps' go",
            Required = true,
        };
        Option<int> seconds = Number.Option(
            "--max-seconds", "how long one program may take", 1, Number.MaxSeconds, 900);
        Option<int> width = Number.Option("--parallel", "how many programs run at a time", 1, int.MaxValue, 3);
        var coverage = new Option<string?>("--coverage")
        {
            Description = "the file where the counts of the lines that run are added up",
        };
        var native = new Option<bool>("--native")
        {
            Description = "runs the tests of commands, and counts those that run the tool in SPATE_NATIVE_TOOL",
        };
        var windows = new Option<string?>("--windows")
        {
            Description = "runs under Wine the tests that are published in this folder, then those of the tool there",
        };
        var kernel = new Option<string?>("--kernel")
        {
            Description = "runs what asks something of the kernel, in a machine of this name in tests/Kernels",
        };
        var assertions = new Option<bool>("--assertions")
        {
            Description = "runs the tests of the library alone, in the build Debug, which has its assertions",
        };
        var command = new Command("tests", "Runs the test programs, and tries again alone what failed.")
        {
            configuration, output, seconds, width, coverage, native, windows, kernel, assertions,
        };
        command.SetAction(async (parsed, stop) =>
        {
            (List<TestRun> first, List<TestRun> alone) = parsed.GetValue(assertions)
                ? TestPlan.Asserting(TestPlan.FindPrograms("Debug", "Spate.Tests"))
                : await PlanAsync(TestPlan.FindPrograms(parsed.GetValue(configuration)!));
            var run = new TestsCommand(parsed.GetValue(output)!.FullName, parsed.GetValue(seconds), stop)
            {
                IsNative = parsed.GetValue(native),
                Kernel = parsed.GetValue(kernel),
            };
            return await run.RunAsync(first, parsed.GetValue(width), alone);

            async Task<(List<TestRun>, List<TestRun>)> PlanAsync(Dictionary<string, string> programs) =>
                parsed.GetValue(native) ? TestPlan.Native(programs)
                    : parsed.GetValue(kernel) is { } name ? ([], KernelPlan.Read(name, programs))
                    : parsed.GetValue(windows) is { } folder ? await WindowsPlan.ReadAsync(folder, programs, stop)
                    : parsed.GetValue(coverage) is { } file ? ([], TestPlan.Covered(programs, file))
                    : (TestPlan.InParallel(programs), TestPlan.Alone(programs));
        });
        return command;
    }

    private async Task<int> RunAsync(List<TestRun> inParallel, int width, List<TestRun> alone)
    {
        string counts = Path.Combine(_folder, "counts");
        Directory.CreateDirectory(_folder);
        File.Delete(counts);
        var ends = new List<TestRunEnd>();
        await Parallel.ForEachAsync(
            inParallel,
            new ParallelOptions { MaxDegreeOfParallelism = width, CancellationToken = _stop },
            async (run, _) =>
            {
                TestRunEnd end = await ExecuteAsync(run);
                lock (_lock) ends.Add(end);
            });
        foreach (TestRun run in alone) ends.Add(await ExecuteAsync(run));

        var totals = new TestTotals(ends);
        if (totals.Unsettled.Count <= MaxSecondTries)
        {
            foreach (TestRun run in TestPlan.SecondTries(totals.Unsettled))
            {
                totals.AddSecondTry(await ExecuteAsync(run));
            }
        }
        else
        {
            int count = totals.Unsettled.Count;
            Console.WriteLine($"no second tries: {count} tests failed or could not judge, more than {MaxSecondTries}");
        }

        foreach (string line in totals.Lines()) Console.WriteLine(line);
        if (IsNative) Console.WriteLine(totals.NativeLine);
        if (ends.Exists(static one => one.Run.IsForWindows))
        {
            foreach (string line in WineSummary.Lines(totals.All())) Console.WriteLine(line);
            Console.WriteLine($"stalled or crashed, and run again: {_stalled.Count} {string.Join(", ", _stalled)}");
        }

        if (totals.PassedOnce > 0) Console.WriteLine($"{totals.PassedOnce} passed at one of two tries");

        // Each run with coverage ends with the table of the sum so far.
        foreach (string line in ends.FindLast(static one => one.Run.CoverageFile is not null)?.Log ?? [])
        {
            if (line.TrimStart().StartsWith('|') || line.TrimStart().StartsWith('+')) Console.WriteLine(line);
        }

        if (Kernel is not null)
        {
            await File.WriteAllLinesAsync(
                Path.Combine(_folder, "table"), KernelPlan.Lines(ends, totals), _stop);
        }

        await File.WriteAllTextAsync(counts, $"{totals.Passed} {totals.Failed} {totals.Skipped}\n", _stop);
        return totals.Failed == 0 ? 0 : 1;
    }

    // A failure is shown at once and whole, whatever a second try brings.
    private async Task<TestRunEnd> ExecuteAsync(TestRun run)
    {
        TestRunEnd end = await run.ExecuteAsync(_folder, _maxSeconds, _stop);
        if (run.IsForWindows && end.Results is [{ Method: null } fault])
        {
            // Mostly the runtime, which may stall or crash under Wine. The summary lists each.
            Console.WriteLine($"stalled or crashed: {run.Title}: {fault.Message.ReplaceLineEndings("\n    ")}");
            lock (_lock) _stalled.Add(run.Title);
            end = await run.ExecuteAsync(_folder, _maxSeconds, _stop);
        }

        if (IsNative) end = end with { Results = [.. end.Results.Select(static one => one.OfNativeRun())] };
        if (Kernel is { } kernel)
        {
            end = end with { Results = [.. end.Results.Select(one => KernelPlan.Judge(kernel, one))] };
        }

        string time = end.Time.TotalSeconds.ToString("0", CultureInfo.InvariantCulture);
        lock (_lock)
        {
            Console.WriteLine($"== {run.Title}: {end.Results.Count} tests in {time} s");
            if (end.Left.Length > 0)
            {
                string names = string.Join(", ", end.Left.Distinct());
                Console.WriteLine($"left behind by {run.Title}, and ended: {end.Left.Length} processes ({names})");
            }

            foreach (TestResult one in end.Results.Where(static one => one.Outcome == TestOutcome.Failed))
            {
                Console.WriteLine($"failed: {one.Name}\n    {one.Message.Trim().ReplaceLineEndings("\n    ")}");
            }

            File.AppendAllText(Path.Combine(_folder, "steps"), $"{time} {run.Title}\n");
        }

        return end;
    }
}
