using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Rounds;

/// <summary>
/// Runs the cells of a benchmark in interleaved rounds, A B C and then C B A, so that a machine that becomes slower or
/// faster affects all alike. A cell that fails, or for which no time is left, is skipped. After an interruption the
/// complete rounds count.
/// </summary>
internal sealed class RoundRunner<TCell, TRound>(IReadOnlyList<TCell> cells, BenchCourse course, BenchSteps steps)
    where TCell : BenchCell<TRound>
{
    /// <summary>Then no cell is skipped for lack of time, and a cell that fails ends the benchmark.</summary>
    public bool NeedsEveryCell { get; init; }

    /// <summary>
    /// Runs every cell once, uncounted, and returns the time per cell. After half of the time until
    /// <paramref name="until"/>, counted from the beginning of the budget, it skips the rest, so that the other half is
    /// left for a round.
    /// </summary>
    public TimeSpan WarmUp(TimeSpan until, Action<TCell> warmUp, bool skipsLate = true)
    {
        TimeSpan before = course.Budget.Elapsed;
        RunPass(0, before + ((until - before) / 2), warmUp, skipsLate);
        return (course.Budget.Elapsed - before) / Math.Max(1, cells.Count);
    }

    /// <summary>
    /// Runs as many rounds as fit, one at least, and returns the number of complete ones; the cells drop an incomplete
    /// one. The first round leaves out cells for which no time is left, but not the first that can run.
    /// </summary>
    public int Run(int maxRounds, TimeSpan until, Func<TCell, TRound> measure)
    {
        using IRoundWatch watch = course.OpenWatch();
        TimeSpan lastPass = TimeSpan.Zero;
        int complete = 0;
        while (cells.Count > 0 && complete < maxRounds)
        {
            TimeSpan before = course.Budget.Elapsed;
            if (complete > 0 && before + lastPass > until)
            {
                // The machine is slower than planned. Fewer rounds are better than a longer run.
                break;
            }
            try
            {
                RunPass(complete + 1, until, cell => Measure(cell, measure, watch), skipsLate: complete == 0);
            }
            catch (OperationCanceledException) when (complete > 0)
            {
                break;
            }
            complete++;
            lastPass = course.Budget.Elapsed - before;
        }
        foreach (TCell cell in cells) cell.Keep(complete);
        return complete;
    }

    private static void Measure(TCell cell, Func<TCell, TRound> measure, IRoundWatch watch)
    {
        watch.Begin();
        TRound round = measure(cell);
        (CpuTotals cores, ThreadUse use) = watch.End();
        cell.Add(round, cores, use);
    }

    private void RunPass(int round, TimeSpan until, Action<TCell> run, bool skipsLate)
    {
        bool hasRun = false;
        for (int i = 0; i < cells.Count; i++)
        {
            TCell cell = cells[round % 2 == 0 ? i : cells.Count - 1 - i];
            course.CancellationToken.ThrowIfCancellationRequested();
            if (hasRun && skipsLate && !NeedsEveryCell && course.Budget.Elapsed > until)
            {
                Skip(cell, SkippedRows.NoTimeLeft);
                continue;
            }
            steps.Report(cell.Name, cell.SizeBytes, round);
            hasRun |= RunCell(cell, run);
        }
    }

    private bool RunCell(TCell cell, Action<TCell> run)
    {
        if (cell.IsSkipped) return false;
        try
        {
            run(cell);
            return true;
        }
        catch (Exception e) when (!NeedsEveryCell && IsFaultOfTheCell(e))
        {
            // One row that fails must not cost the others their figures.
            Skip(cell, e is BenchException ? e.Message : PrintableText.OneLine(e.Message));
            return false;
        }
    }

    private void Skip(TCell cell, string reason)
    {
        if (!cell.IsSkipped)
        {
            cell.Skip();
            course.Skipped.Add(cell.SkippedName, reason);
        }
    }

    private static bool IsFaultOfTheCell(Exception e) =>
        e is BenchException or SocketException or IOException or NotSupportedException or ObjectDisposedException;
}
