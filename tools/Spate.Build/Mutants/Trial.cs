using System.Diagnostics;

namespace Spate.Build.Mutants;

/// <summary>Tries mutants one after the other in a copy of the repository.</summary>
internal sealed class Trial(WorkCopy copy, SourceTree sources, TestPrograms programs, TimeSpan limit, TextWriter log)
{
    // A test that ran for less at the limit is one that the limit cut, and not one that hangs.
    private static readonly TimeSpan Hanging = TimeSpan.FromSeconds(20);

    private static readonly TimeSpan Alone = TimeSpan.FromSeconds(60);
    private const int MaxSuspects = 2;

    // Tests that failed without a mutant too, or did not fail again: they prove nothing on this machine.
    private readonly HashSet<string> _disturbed = new(StringComparer.Ordinal);

    private enum End
    {
        Passed,
        Failed,
        Hung,
    }

    public async Task<Mutant> OfAsync(Mutant mutant, CancellationToken stop)
    {
        if (sources.Find(mutant) is not { } place) return mutant with { Outcome = Outcome.NotFound };
        byte[]? assembly = await copy.CompileAsync(place.File, place.Site, stop);
        if (assembly is null) return mutant with { Outcome = Outcome.NotCompiled };
        string project = place.File.Project;
        string[] spaces = [.. sources.Namespaces.Where(one => one.Project == project).Select(one => one.Namespace)];
        TimeSpan left = limit;
        copy.Install(project, assembly);
        try
        {
            foreach (Stage stage in programs.StagesOf(project, place.Site.Symbol.Namespace, spaces))
            {
                (End end, string? test, left) = await OfStageAsync(stage, project, assembly, left, stop);
                if (end == End.Failed) return mutant with { Outcome = Outcome.Killed, Test = test };
                if (end == End.Hung) return mutant with { Outcome = Outcome.Timeout, Test = test };
                if (left <= TimeSpan.Zero) break;
            }
        }
        finally
        {
            copy.InstallClean(project);
        }

        return mutant with { Outcome = Outcome.Survived };
    }

    // Repeats the stage without each test that failed and does not convict.
    private async Task<(End, string?, TimeSpan Left)> OfStageAsync(
        Stage stage, string project, byte[] assembly, TimeSpan left, CancellationToken stop)
    {
        HashSet<string> acquitted = [.. _disturbed];
        while (left > TimeSpan.Zero)
        {
            long start = Stopwatch.GetTimestamp();
            SuiteRun run = await SuiteRun.OfAsync(copy, stage, acquitted, left, stop);
            left -= Stopwatch.GetElapsedTime(start);
            await log.WriteLineAsync($"  {stage.Program.Name} {Included(stage)}: {run}");
            string[] suspects =
            [
                .. run.Failed.Count > 0 ? run.Failed
                    : run.RunningFor(run.IsCrashed ? TimeSpan.Zero : Hanging).Take(MaxSuspects),
            ];
            foreach (string test in suspects)
            {
                End end = await ConfirmAsync(stage.Program, test, project, assembly, stop);
                await log.WriteLineAsync($"  {test}: {(end == End.Passed ? "no proof" : end)}");
                if (end != End.Passed) return (end, test, left);
                acquitted.Add(test);
            }

            if (suspects.Length == 0 || run.IsCut) break;
        }

        return (End.Passed, null, left);
    }

    /// <summary>Fails or hangs only if the test does so again alone, and passes without the mutant.</summary>
    private async Task<End> ConfirmAsync(
        TestProgram program, string test, string project, byte[] assembly, CancellationToken stop)
    {
        End again = EndOf(await SuiteRun.OfAsync(copy, program, test, Alone, stop));
        if (again == End.Passed) return End.Passed;
        copy.InstallClean(project);
        SuiteRun clean = await SuiteRun.OfAsync(copy, program, test, Alone, stop);
        copy.Install(project, assembly);
        if (EndOf(clean) == End.Passed && clean.Passed > 0) return again;
        _disturbed.Add(test);
        return End.Passed;
    }

    private static string Included(Stage stage) =>
        stage.Included.Length > 0 ? $"{stage.Included[0]} + {stage.Included.Length - 1}" : "the rest";

    private static End EndOf(SuiteRun run) =>
        run.IsCut ? End.Hung : run.IsCrashed || run.Failed.Count > 0 ? End.Failed : End.Passed;
}
