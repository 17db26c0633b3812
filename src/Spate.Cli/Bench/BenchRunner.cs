using Spate.Cli.Output;
using Spate.Cli.Terminal;
using Spate.Cli.Traffic;
using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench;

/// <summary>What all benches do alike around their measurement: stop signal, progress, faults, results.</summary>
internal static class BenchRunner
{
    /// <summary>Measures, tells what could not run, and writes table and JSON.</summary>
    /// <param name="jsonPath">Where <c>--json</c> goes; null for nowhere.</param>
    /// <param name="streams">The command's.</param>
    /// <param name="execute">Measures.</param>
    /// <param name="write">Writes a report for people.</param>
    public static int Run<TReport>(
        string? jsonPath,
        Streams streams,
        Func<IProgress<BenchStep>, CancellationToken, TReport> execute,
        Action<TReport, Page> write)
        where TReport : RoundsReport
    {
        using var stop = new StopSignal(streams);
        using JsonOutput? json = JsonOutput.Open(jsonPath, streams);
        TReport report;
        using (var progress = new BenchProgress(streams.ErrorPage))
        {
            report = Guard(() => execute(progress, stop.Token));
        }

        if (stop.Token.IsCancellationRequested)
        {
            streams.Notice("interrupted: the figures are those of the rounds that were complete");
        }

        // One line for a reason, however many rows have it.
        foreach (BenchSkippedRow rows in BenchSkippedRow.Join(report.Skipped))
        {
            streams.Notice($"{rows.Name} did not run: {rows.Reason}");
        }

        if (json?.IsStandardOutput != true) write(report, streams.OutputPage);

        json?.Write(ReportJson.Serialize(report));
        return ExitCode.Done;
    }

    private static T Guard<T>(Func<T> bench)
    {
        try
        {
            return bench();
        }
        catch (OperationCanceledException fault)
        {
            throw CommandException.Refused("interrupted before the end of the first round: nothing to report", fault);
        }
    }
}
