using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Peers;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Comparing;

/// <summary>A command line whose report is compared: a program of this tool and its arguments.</summary>
/// <param name="Program">The path of the program.</param>
/// <param name="Arguments">Its arguments, without <c>--json</c>.</param>
public sealed record RepeatedCommand(string Program, IReadOnlyList<string> Arguments);

/// <summary>The run that is about to start.</summary>
/// <param name="IsA">Whether it is one of the first side.</param>
/// <param name="Index">The number of runs that are done.</param>
/// <param name="Count">The number of all runs.</param>
public readonly record struct RepeatedStep(bool IsA, int Index, int Count);

/// <summary>
/// Runs two commands in turn, each several times. The order within each pair is random: a machine that becomes slower
/// or faster, and one that runs the second of two faster, favours neither side.
/// </summary>
public static class RepeatedRuns
{
    /// <summary>The largest number of runs a side.</summary>
    public const int MaxRuns = ReportComparison.MaxReports;

    private const int MaxShownLength = 200;

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan MaxStopTime = TimeSpan.FromSeconds(10);

    /// <summary>Runs the commands and reads their reports.</summary>
    /// <param name="a">The command of the first side.</param>
    /// <param name="b">The command of the second side.</param>
    /// <param name="runs">The number of runs a side, from 1 to <see cref="MaxRuns"/>.</param>
    /// <param name="seed">Decides the order.</param>
    /// <param name="progress">Receives each run before it starts; null for no progress.</param>
    /// <param name="cancellationToken">Interrupts the run under way with SIGINT and ends after it.</param>
    /// <returns>The reports of both sides, equally many. Pairs that were not complete are left out.</returns>
    /// <exception cref="BenchException">A command could not be started, failed, or wrote no report.</exception>
    public static (IReadOnlyList<Report> A, IReadOnlyList<Report> B) Execute(
        RepeatedCommand a,
        RepeatedCommand b,
        int runs,
        int seed,
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
                if (cancellationToken.IsCancellationRequested) break;

                progress?.Report(new RepeatedStep(isA, ofA.Count + ofB.Count, 2 * runs));
                if (Run(isA ? a : b, cancellationToken) is { } report) (isA ? ofA : ofB).Add(report);
            }
        }

        int complete = Math.Min(ofA.Count, ofB.Count);
        return (ofA[..complete], ofB[..complete]);
    }

    // Null for a run that was interrupted: its report is not of the run that was asked for.
    private static Report? Run(RepeatedCommand command, CancellationToken cancellationToken)
    {
        string file = Path.GetTempFileName();
        try
        {
            using var process = new ChildProcess(command.Program, [.. command.Arguments, "--json", file]);
            while (!process.WaitForExit(PollInterval))
            {
                if (!cancellationToken.IsCancellationRequested) continue;

                process.Interrupt();
                _ = process.WaitForExit(MaxStopTime);
                return null;
            }

            if (cancellationToken.IsCancellationRequested) return null;

            if (ReportFile.TryRead(file, out Report? report, out string? error)) return report;

            string said = process.ReadOutput().TrimEnd().Split('\n')[^1];
            throw new BenchException(
                $"'{PrintableText.Clean(string.Join(' ', command.Arguments), MaxShownLength)}' gave no report to "
                + $"compare: {(said.Length > 0 ? PrintableText.Clean(said, MaxShownLength) : error)}");
        }
        finally
        {
            File.Delete(file);
        }
    }
}
