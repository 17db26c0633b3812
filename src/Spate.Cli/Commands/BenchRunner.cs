using Spate.Cli.Output;
using Spate.Measurement;
using Spate.Measurement.Bench;

namespace Spate.Cli.Commands;

/// <summary>What all benches do alike around their measurement: stop signal, progress, faults, results.</summary>
internal static class BenchRunner
{
    /// <summary>Measures, tells what could not run, and writes table and JSON.</summary>
    /// <param name="jsonPath">Where <c>--json</c> goes; null for nowhere.</param>
    /// <param name="streams">The command's.</param>
    /// <param name="execute">Measures.</param>
    /// <param name="skippedOf">The rows that did not run.</param>
    /// <param name="reportOf">Makes the report of a result.</param>
    /// <param name="write">Writes a result for people.</param>
    public static int Run<TResult, TReport>(
        string? jsonPath,
        Streams streams,
        Func<IProgress<BenchStep>, CancellationToken, TResult> execute,
        Func<TResult, IReadOnlyList<BenchSkippedRow>> skippedOf,
        Func<TResult, TReport> reportOf,
        Action<TResult, TReport, Streams> write)
        where TReport : Report
    {
        using var stop = new StopSignal(streams);
        using JsonOutput? json = JsonOutput.Open(jsonPath, streams);
        TResult result;
        using (var progress = new BenchProgress(streams))
        {
            result = Guard(() => execute(progress, stop.Token));
        }

        if (stop.Token.IsCancellationRequested)
        {
            TrafficSetup.Notice(streams, "interrupted: the figures are those of the rounds that were complete");
        }

        // One line for a reason, however many rows have it.
        foreach (BenchSkippedRow rows in BenchSkippedRow.Join(skippedOf(result)))
        {
            TrafficSetup.Notice(streams, $"{rows.Name} did not run: {rows.Reason}");
        }

        TReport report = reportOf(result);
        if (json?.IsStandardOutput != true)
        {
            write(result, report, streams);
        }

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
