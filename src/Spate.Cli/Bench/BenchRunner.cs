using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench;

/// <summary>The steps around the measurement that all benches share: stop signal, progress, faults, results.</summary>
internal static class BenchRunner
{
    /// <summary>Measures, names the rows that could not run, and writes table and JSON.</summary>
    public static int Run<TOptions, TReport>(
        ReportOptions request,
        Streams streams,
        TOptions options,
        Func<TOptions, IProgress<BenchStep>?, CancellationToken, TReport> execute,
        Action<TReport, TerminalWriter> write)
        where TReport : RoundsReport
    {
        using var output = ReportOutput.Open(request, streams);
        using var stop = new StopSignal(streams);
        TReport report;
        using (var progress = new BenchProgress(streams))
        {
            report = Guard(() => execute(options, progress, stop.Token));
        }

        if (report.Interrupted) streams.Notice(BenchText.Interruption);

        // Rows with the same reason share one line.
        foreach (BenchSkippedRow rows in BenchSkippedRow.Join(report.Skipped))
        {
            streams.Warn($"{rows.Name} did not run: {rows.Reason}", DocsAnchor.SkippedRows);
        }

        if (!request.ShowsAllCores) report.OmitIdleCores();
        if (!output.TakesStandardOutput)
        {
            write(report, streams.OutputPage);
            LimitText.Write(report, request.ShowsAllCores, streams.OutputPage);
        }

        return output.Finish(report);
    }

    private static T Guard<T>(Func<T> bench)
    {
        try
        {
            return bench();
        }
        catch (OperationCanceledException fault)
        {
            throw CommandException.Refused(
                "interrupted before the end of the first round: nothing to report", DocsAnchor.None, fault);
        }
    }
}
