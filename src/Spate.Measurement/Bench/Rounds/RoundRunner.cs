using System.Net.Sockets;

namespace Spate.Measurement.Bench.Rounds;

/// <summary>
/// Runs the cells of a benchmark in interleaved rounds within a time: A B C and then C B A, so that a drift of the
/// machine meets all alike. A cell that fails, or that the time is too short for, is skipped with its reason, and the
/// others go on.
/// </summary>
/// <typeparam name="TCell">The benchmark's cell.</typeparam>
/// <typeparam name="TRound">What a round of it measures.</typeparam>
/// <param name="cells">The cells in the order of the table.</param>
/// <param name="budget">The time.</param>
/// <param name="steps">The progress.</param>
/// <param name="skipped">Takes the cells that are skipped.</param>
/// <param name="cancellationToken">Interrupts the benchmark; the rounds that are complete by then count.</param>
internal sealed class RoundRunner<TCell, TRound>(
    IReadOnlyList<TCell> cells,
    BenchBudget budget,
    BenchSteps steps,
    SkippedRows skipped,
    CancellationToken cancellationToken)
    where TCell : BenchCell<TRound>
{
    /// <summary>
    /// True where the rows are of no use without each other: none is skipped for want of time, and the fault of one
    /// ends the benchmark.
    /// </summary>
    public bool NeedsEveryCell { get; init; }

    /// <summary>
    /// Runs every cell once, uncounted. It takes at most half of the time, so that there is some left for a round.
    /// </summary>
    /// <param name="until">When the rounds must end, counted from the beginning of the budget.</param>
    /// <param name="warmUp">Runs a cell.</param>
    /// <param name="skipsLate">Whether a cell that there is no time for is skipped; false runs it all the same.</param>
    /// <returns>What it took per cell.</returns>
    public TimeSpan WarmUp(TimeSpan until, Action<TCell> warmUp, bool skipsLate = true)
    {
        TimeSpan before = budget.Elapsed;
        RunPass(0, before + ((until - before) / 2), warmUp, skipsLate);
        return (budget.Elapsed - before) / Math.Max(1, cells.Count);
    }

    /// <summary>
    /// Runs the rounds that fit. The first is run in any case, less the cells that there is no time for.
    /// </summary>
    /// <param name="maxRounds">How many rounds are wanted.</param>
    /// <param name="until">When they must end, counted from the beginning of the budget.</param>
    /// <param name="measure">Measures a cell.</param>
    /// <returns>How many rounds are complete. What an incomplete one measured is dropped from the cells.</returns>
    /// <exception cref="OperationCanceledException">Interrupted before the end of the first round.</exception>
    public int Run(int maxRounds, TimeSpan until, Func<TCell, TRound> measure)
    {
        TimeSpan lastPass = TimeSpan.Zero;
        int complete = 0;
        while (cells.Count > 0 && complete < maxRounds)
        {
            TimeSpan before = budget.Elapsed;
            if (complete > 0 && before + lastPass > until)
            {
                // The machine is slower than planned: fewer rounds rather than more time.
                break;
            }
            try
            {
                RunPass(complete + 1, until, cell => cell.Rounds.Add(measure(cell)), skipsLate: complete == 0);
            }
            catch (OperationCanceledException) when (complete > 0)
            {
                break;
            }
            complete++;
            lastPass = budget.Elapsed - before;
        }
        foreach (TCell cell in cells)
        {
            cell.Rounds.RemoveRange(Math.Min(complete, cell.Rounds.Count), Math.Max(0, cell.Rounds.Count - complete));
        }
        return complete;
    }

    private void RunPass(int round, TimeSpan until, Action<TCell> run, bool skipsLate)
    {
        for (int i = 0; i < cells.Count; i++)
        {
            TCell cell = cells[round % 2 == 0 ? i : cells.Count - 1 - i];
            cancellationToken.ThrowIfCancellationRequested();
            if (i > 0 && skipsLate && !NeedsEveryCell && budget.Elapsed > until)
            {
                Skip(cell, SkippedRows.NoTimeLeft);
                continue;
            }
            steps.Report(cell.Name, cell.SizeBytes, round);
            RunCell(cell, run);
        }
    }

    private void RunCell(TCell cell, Action<TCell> run)
    {
        if (cell.IsSkipped) return;
        try
        {
            run(cell);
        }
        catch (Exception e) when (!NeedsEveryCell && IsFaultOfTheCell(e))
        {
            // One row that fails must not cost the others their figures.
            Skip(cell, e is BenchException ? e.Message : BenchText.OneLine(e.Message));
        }
    }

    private void Skip(TCell cell, string reason)
    {
        if (!cell.IsSkipped)
        {
            cell.Skip();
            skipped.Add(cell.SkippedName, reason);
        }
    }

    private static bool IsFaultOfTheCell(Exception e) =>
        e is BenchException or SocketException or IOException or NotSupportedException or ObjectDisposedException;
}
