using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Rounds;

/// <summary>
/// Runs the cells of a benchmark in interleaved rounds within a time: A B C and then C B A, so that a machine that
/// becomes slower or faster affects all cells alike. A cell that fails, or for which no time is left, is skipped with
/// the reason; the others go on.
/// </summary>
/// <typeparam name="TCell">The type of the benchmark's cells.</typeparam>
/// <typeparam name="TRound">The measurement of a cell in one round.</typeparam>
/// <param name="cells">The cells in the order of the table.</param>
/// <param name="course">The time of the benchmark. If it is interrupted, the rounds that are complete count.</param>
/// <param name="steps">Receives the progress.</param>
internal sealed class RoundRunner<TCell, TRound>(IReadOnlyList<TCell> cells, BenchCourse course, BenchSteps steps)
    where TCell : BenchCell<TRound>
{
    /// <summary>
    /// Whether the rows are useless without each other. Then no cell is skipped for lack of time, and a cell that fails
    /// ends the benchmark.
    /// </summary>
    public bool NeedsEveryCell { get; init; }

    /// <summary>
    /// Runs every cell once without counting it. After half of the time it skips the rest, so that the other half is
    /// left for a round.
    /// </summary>
    /// <param name="until">The end of the rounds, counted from the beginning of the budget.</param>
    /// <param name="warmUp">Runs a cell.</param>
    /// <param name="skipsLate">
    /// Whether cells for which no time is left are skipped; false runs them all the same.
    /// </param>
    /// <returns>The time per cell.</returns>
    public TimeSpan WarmUp(TimeSpan until, Action<TCell> warmUp, bool skipsLate = true)
    {
        TimeSpan before = course.Budget.Elapsed;
        RunPass(0, before + ((until - before) / 2), warmUp, skipsLate);
        return (course.Budget.Elapsed - before) / Math.Max(1, cells.Count);
    }

    /// <summary>
    /// Runs as many rounds as fit. The first round always runs, without the cells for which no time is left. The first
    /// cell that can run is never among these, so that there is a result.
    /// </summary>
    /// <param name="maxRounds">The wanted number of rounds.</param>
    /// <param name="until">The end of the rounds, counted from the beginning of the budget.</param>
    /// <param name="measure">Measures a cell.</param>
    /// <returns>The number of complete rounds. The cells drop what an incomplete round measured.</returns>
    /// <exception cref="OperationCanceledException">Interrupted before the end of the first round.</exception>
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
