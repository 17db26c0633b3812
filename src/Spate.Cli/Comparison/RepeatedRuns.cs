using System.CommandLine.Parsing;
using System.Diagnostics.CodeAnalysis;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Reports;

namespace Spate.Cli.Comparison;

/// <summary>A command line whose report is compared: a program of this tool and its arguments.</summary>
/// <param name="Arguments">Its arguments, without <c>--json</c>.</param>
internal sealed record RepeatedCommand(string Program, IReadOnlyList<string> Arguments)
{
    /// <summary>The command as errors name it. Default: the program and its arguments.</summary>
    public string Text { get; init; } = string.Join(' ', [Program, .. Arguments]);
}

/// <summary>The run that is about to start.</summary>
/// <param name="Index">The number of runs that are done.</param>
internal readonly record struct RepeatedStep(bool IsA, int Index, int Count)
{
    public override string ToString() => $"run {Index + 1} of {Count} (side {(IsA ? 'A' : 'B')})";
}

/// <summary>What the runs gave.</summary>
/// <param name="B">The reports of the second side, as many. Pairs that were not complete are left out.</param>
/// <param name="Fault">Why the runs ended early, in one line; null where all were done or interrupted.</param>
internal sealed record RepeatedResult(IReadOnlyList<Report> A, IReadOnlyList<Report> B, string? Fault);

/// <summary>
/// Runs two commands in turn, each several times. The order within each pair is random: a machine that becomes slower
/// or faster, and one that runs the second of two faster, favours neither side.
/// </summary>
internal static class RepeatedRuns
{
    public const int MaxRuns = ReportComparison.MaxReports;

    private const int MaxShownLength = 200;

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan MaxStopTime = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Runs the commands and reads their reports. Ends at the first run that fails, and at the first pair that cannot
    /// be compared together with those before.
    /// </summary>
    /// <param name="cancellationToken">Interrupts the run under way with SIGINT and ends after it.</param>
    public static RepeatedResult Execute(
        RepeatedCommand a,
        RepeatedCommand b,
        int runs,
        int seed,
        bool allowsDifferent,
        ReportReader reader,
        IProgress<RepeatedStep>? progress,
        CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(runs, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(runs, MaxRuns);
        var random = new Random(seed);
        List<Report> ofA = [];
        List<Report> ofB = [];
        for (int pair = 0; pair < runs; pair++)
        {
            bool isAFirst = random.Next(2) == 0;
            foreach (bool isA in (bool[])[isAFirst, !isAFirst])
            {
                var step = new RepeatedStep(isA, ofA.Count + ofB.Count, 2 * runs);
                progress?.Report(step);
                if (!TryRun(isA ? a : b, reader, cancellationToken, out Report? report, out string? error))
                {
                    return Until(pair, error is null ? null : $"{step} failed: {error}");
                }

                (isA ? ofA : ofB).Add(report);
            }

            if (!ReportComparison.TryCompare(ofA, ofB, allowsDifferent, out _, out string? differing))
            {
                return Until(pair, $"pair {pair + 1} of {runs} cannot be compared: {differing}");
            }
        }

        return Until(runs, fault: null);

        RepeatedResult Until(int complete, string? fault) => new(ofA[..complete], ofB[..complete], fault);
    }

    /// <summary>
    /// Runs a command once. An interrupted run has neither a report nor an error: what it wrote is not of the run that
    /// was asked for.
    /// </summary>
    internal static bool TryRun(
        RepeatedCommand command,
        ReportReader reader,
        CancellationToken cancellationToken,
        [NotNullWhen(true)] out Report? report,
        out string? error)
    {
        report = null;
        error = null;
        if (cancellationToken.IsCancellationRequested) return false;

        string file = Path.GetTempFileName();
        try
        {
            using var process = new ChildProcess(command.Program, [.. command.Arguments, "--json", file]);
            while (!process.WaitForExit(PollInterval))
            {
                if (!cancellationToken.IsCancellationRequested) continue;

                process.Interrupt();
                _ = process.WaitForExit(MaxStopTime);
                return false;
            }

            if (cancellationToken.IsCancellationRequested) return false;

            if (ReportFile.TryRead(file, reader, out report, out error)) return true;

            if (new FileInfo(file).Length == 0) error = "it wrote none";
            string said = process.ReadOutput().TrimEnd().Split('\n')[^1];
            error = $"'{PrintableText.Clean(command.Text, MaxShownLength)}' wrote no report to "
                + $"compare: {(said.Length > 0 ? PrintableText.Clean(said, MaxShownLength) : error)}";
            return false;
        }
        catch (Exception fault) when (fault is BenchException or IOException or UnauthorizedAccessException)
        {
            error = fault.Message.TrimEnd('.');
            return false;
        }
        finally
        {
            File.Delete(file);
        }
    }
}

/// <summary>Runs the commands of <c>--repeat</c>, with progress.</summary>
internal static class CompareRuns
{
    /// <summary>Runs the commands. Without one complete pair there is nothing to compare, which is refused.</summary>
    public static RepeatedResult Execute(
        string[] a, string[] b, int runs, int? seed, bool allowsDifferent, ReportReader reader, Streams streams)
    {
        if (a.Length != 1 || b.Length != 1)
        {
            throw CommandException.WrongUse(
                "--repeat takes one quoted command per side: spate compare --repeat 5 'bench drain' -- "
                + "'/opt/old/spate bench drain'");
        }

        (RepeatedCommand first, RepeatedCommand second) = (CommandOf(a[0]), CommandOf(b[0]));
        int order = seed ?? Random.Shared.Next();
        streams.Notice($"{runs} run{(runs == 1 ? "" : "s")} per side, in random order (--seed {order})");
        using var stop = new StopSignal(streams);
        RepeatedResult reports;
        using (var progress = new StepProgress<RepeatedStep>(streams.ErrorPage, streams.Time))
        {
            reports = RepeatedRuns.Execute(first, second, runs, order, allowsDifferent, reader, progress, stop.Token);
        }

        int pairs = reports.A.Count;
        if (pairs == 0)
        {
            throw CommandException.Refused(
                reports.Fault ?? "interrupted in the first pair: nothing to compare",
                DocsAnchor.None);
        }

        if (pairs < runs)
        {
            streams.Notice($"{reports.Fault ?? "interrupted"}; {pairs} of {runs} pairs are complete and compared");
        }

        return reports;
    }

    /// <summary>The program and arguments of a command as typed, with or without <c>spate</c>.</summary>
    internal static RepeatedCommand CommandOf(string text)
    {
        string[] words = [.. CommandLineParser.SplitCommandLine(text)];
        if (words.Length == 0)
        {
            throw CommandException.WrongUse("a side's command is empty: expected one such as 'bench drain --quick'");
        }

        if (words.Any(static word => word is "--json" || word.StartsWith("--json=", StringComparison.Ordinal)))
        {
            throw CommandException.WrongUse($"'{text}' has --json, which --repeat adds itself: leave it out");
        }

        bool isPath = words[0].Contains(Path.DirectorySeparatorChar) || words[0].Contains('/');
        if (isPath) return new RepeatedCommand(words[0], words[1..]);

        return Own(words[0].Equals("spate", StringComparison.Ordinal) ? words[1..] : words) with { Text = text };
    }

    internal static RepeatedCommand Own(IReadOnlyList<string> arguments)
    {
        string program = Environment.ProcessPath ?? throw CommandException.Refused(
            "the path of this program is unknown: give a path instead of spate", DocsAnchor.Comparing);

        // Where the runtime's host runs the tool (dotnet Spate.Cli.dll), the process is not the tool's own.
        return Path.GetFileNameWithoutExtension(program).Equals("dotnet", StringComparison.OrdinalIgnoreCase)
            ? new RepeatedCommand(program, [Environment.GetCommandLineArgs()[0], .. arguments])
            : new RepeatedCommand(program, arguments);
    }
}
