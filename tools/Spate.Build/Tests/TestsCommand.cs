using System.CommandLine;
using System.Globalization;

namespace Spate.Build.Tests;

/// <summary><c>tests</c>: runs the test programs, tries again what failed, and writes counts and times.</summary>
internal static class TestsCommand
{
    /// <summary>With more failures than these, it is not a neighbour of the machine that disturbed them.</summary>
    private const int MaxSecondTries = 20;

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
        var seconds = new Option<int>("--max-seconds")
        {
            Description = "how long one program may take",
            DefaultValueFactory = static _ => 900,
        };
        var width = new Option<int>("--beside")
        {
            Description = "how many programs run beside each other",
            DefaultValueFactory = static _ => 3,
        };
        var coverage = new Option<string?>("--coverage")
        {
            Description = "the file where the counts of the lines that run are added up",
        };
        var command = new Command("tests", "Runs the test programs, and tries again alone what failed.")
        {
            configuration, output, seconds, width, coverage,
        };
        command.SetAction(async (parsed, _) =>
        {
            Dictionary<string, string> programs = TestPlan.FindPrograms(parsed.GetValue(configuration)!);
            (List<TestRun> beside, List<TestRun> alone) = parsed.GetValue(coverage) is { } file
                ? ([], TestPlan.Covered(programs, file))
                : (TestPlan.Beside(programs), TestPlan.Alone(programs));
            return await RunAsync(
                beside, parsed.GetValue(width), alone, parsed.GetValue(output)!.FullName, parsed.GetValue(seconds));
        });
        return command;
    }

    private static async Task<int> RunAsync(
        List<TestRun> beside, int width, List<TestRun> alone, string folder, int maxSeconds)
    {
        var ends = new List<TestRunEnd>();
        void Add(TestRunEnd end)
        {
            lock (ends) ends.Add(end);
            Tell(end, folder);
        }

        await Parallel.ForEachAsync(
            beside,
            new ParallelOptions { MaxDegreeOfParallelism = width },
            async (run, _) => Add(await run.ExecuteAsync(folder, maxSeconds)));
        foreach (TestRun run in alone) Add(await run.ExecuteAsync(folder, maxSeconds));

        var totals = new TestTotals(ends);
        if (totals.Unsettled.Count <= MaxSecondTries)
        {
            foreach (TestRun run in TestPlan.Again(totals.Unsettled))
            {
                TestRunEnd end = await run.ExecuteAsync(folder, maxSeconds);
                Tell(end, folder);
                totals.AddSecondTry(end);
            }
        }

        foreach (string line in totals.Lines()) Console.WriteLine(line);
        await File.WriteAllTextAsync(
            Path.Combine(folder, "counts"), $"{totals.Passed} {totals.Failed} {totals.Skipped}\n");
        return totals.Failed == 0 ? 0 : 1;
    }

    // A failure is shown at once and whole, whatever a second try brings.
    private static void Tell(TestRunEnd end, string folder)
    {
        string time = end.Time.TotalSeconds.ToString("0", CultureInfo.InvariantCulture);
        lock (folder)
        {
            Console.WriteLine($"== {end.Run.Title}: {end.Results.Count} tests in {time} s");
            foreach (TestResult one in end.Results.Where(static one => one.Outcome == TestOutcome.Failed))
            {
                Console.WriteLine($"failed: {one.Name}\n    {one.Message.Trim().ReplaceLineEndings("\n    ")}");
            }

            File.AppendAllText(Path.Combine(folder, "steps"), $"{time} {end.Run.Title}\n");
        }
    }
}
