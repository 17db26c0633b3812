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
    // A median of fewer says little.
    private const int MinRounds = 3;

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

    /// <summary>
    /// Rounds of a fixed amount of work. The warm-up gets the longest time of a cell, so that all cells together take
    /// one part in <paramref name="warmUpShare"/> of the time until <paramref name="until"/>. A round gets its longest
    /// time too, so that the median has enough rounds. Returns the number of complete rounds.
    /// </summary>
    public int RunCounted(
        int warmUpShare, int roundCount, TimeSpan until, Action<TCell, TimeSpan> warmUp,
        Func<TCell, TimeSpan, TRound> measure)
    {
        TimeSpan maxWarmUp = LeftOf(until) / (warmUpShare * Math.Max(1, cells.Count));
        _ = WarmUp(until, cell => warmUp(cell, maxWarmUp));
        TimeSpan maxRound = LeftOf(until) / (Math.Min(MinRounds, roundCount) * Math.Max(1, cells.Count));
        return Run(roundCount, until, cell => measure(cell, maxRound));
    }

    /// <summary>
    /// Rounds whose length is chosen so that they fill the time until <paramref name="until"/>. The warm-up shows the
    /// time that a cell takes in addition: opening and closing differ much between machines. On a slow machine that is
    /// more than a plan assumes.
    /// </summary>
    public (int Complete, TimeSpan Length) RunTimed(
        RoundLengths lengths, TimeSpan until, Func<TCell, TimeSpan, TRound> measure)
    {
        TimeSpan each = WarmUp(
            until, cell => measure(cell, lengths.WarmUp), skipsLate: lengths.MinRounds == 1);
        (int rounds, TimeSpan length) = BenchBudget.Fit(
            until - course.Budget.Elapsed, cells.Count, each - lengths.WarmUp, lengths.MaxRounds, lengths.Min,
            lengths.Max);
        return (rounds < lengths.MinRounds ? 0 : Run(rounds, until, cell => measure(cell, length)), length);
    }

    private TimeSpan LeftOf(TimeSpan until) =>
        until > course.Budget.Elapsed ? until - course.Budget.Elapsed : TimeSpan.Zero;

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

/// <summary>The lengths of rounds that are to fill a time.</summary>
/// <param name="MinRounds">If fewer fit, none is run. Above 1 the warm-up leaves out no cell.</param>
internal sealed record RoundLengths(
    TimeSpan WarmUp, TimeSpan Min, TimeSpan Max, int MaxRounds, int MinRounds = 1);

/// <summary>Watches the CPUs and the measuring thread in one round after the other. Tests make it up.</summary>
internal interface IRoundWatch : IDisposable
{
    /// <summary>Called on the measuring thread before a round.</summary>
    void Begin();

    /// <summary>Called on the measuring thread after a round.</summary>
    (CpuTotals Cores, ThreadUse Use) End();
}

/// <summary>Watches this host and the calling thread. Nothing is read during a round.</summary>
internal sealed class HostRoundWatch : IRoundWatch
{
    private readonly CpuSampler _cores = new();
    private readonly ThreadGauge _gauge = new();
    private CpuMeter _process = new();
    private ThreadUse _before;

    public void Begin()
    {
        _ = _cores.Take();
        _before = _gauge.Use;
        _process = new CpuMeter();
    }

    public (CpuTotals Cores, ThreadUse Use) End()
    {
        var places = new CpuAttribution();
        places.AddMovable((long)(_process.Elapsed.Total * 1e9));
        return (_cores.Take(places), _gauge.Use - _before);
    }

    public void Dispose()
    {
        _cores.Dispose();
        _gauge.Dispose();
    }
}
