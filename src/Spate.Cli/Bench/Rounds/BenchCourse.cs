using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Rounds;

/// <summary>
/// The course of one benchmark, from its making to its report: its time, who hears of its steps, who may interrupt it,
/// and the rows that it leaves out.
/// </summary>
/// <param name="total">The time for the whole benchmark, set-up included. It begins now.</param>
/// <param name="progress">Receives each step before the step starts; null for no progress.</param>
/// <param name="cancellationToken">Interrupts the benchmark.</param>
/// <param name="time">The clock; null for the system's.</param>
internal sealed class BenchCourse(
    TimeSpan total,
    IProgress<BenchStep>? progress,
    CancellationToken cancellationToken,
    TimeProvider? time = null)
{
    /// <summary>The clock of the budget, of pauses, and of rounds that are not timed elsewhere.</summary>
    public TimeProvider Time { get; } = time ?? TimeProvider.System;

    /// <summary>The time that is used and left.</summary>
    public BenchBudget Budget { get; } = new(total, time ?? TimeProvider.System);

    /// <summary>The rows that did not run.</summary>
    public SkippedRows Skipped { get; } = new();

    /// <summary>Interrupts the benchmark.</summary>
    public CancellationToken CancellationToken { get; } = cancellationToken;

    /// <summary>Begins to watch the CPUs in the rounds; tests replace it.</summary>
    public Func<IRoundWatch> OpenWatch { get; init; } = static () => new HostRoundWatch();

    /// <summary>Waits; an interruption ends it.</summary>
    public void Pause(TimeSpan length) => _ = Time.Wait(length, CancellationToken);

    /// <summary>The steps of a number of cells in a number of rounds.</summary>
    /// <param name="roundCount">The number of planned rounds.</param>
    /// <param name="cellCount">The number of cells.</param>
    /// <param name="warmUpCount">How often each cell is warmed up.</param>
    /// <param name="otherCount">The number of steps besides.</param>
    public BenchSteps Steps(int roundCount, int cellCount, int warmUpCount = 1, int otherCount = 0) =>
        new(progress, roundCount, (cellCount * (warmUpCount + roundCount)) + otherCount);

    /// <summary>The rows of a report, of which there must be one.</summary>
    /// <exception cref="BenchException">There is none; it says why.</exception>
    public TRow[] RequireRows<TRow>(IEnumerable<TRow> rows)
    {
        TRow[] all = [.. rows];
        return all.Length > 0 ? all : throw Skipped.NothingRan();
    }

    /// <summary>Adds to a report what each has of its course.</summary>
    /// <param name="report">The report, with its rows and threads.</param>
    /// <param name="cells">The cells that were measured, or skipped.</param>
    /// <param name="threadsOf">See <see cref="RoundsReport.SetLimits"/>.</param>
    public TReport Finish<TReport, TRound>(
        TReport report,
        IEnumerable<BenchCell<TRound>> cells,
        Func<BenchCell<TRound>, IEnumerable<ThreadReport>>? threadsOf = null)
        where TReport : RoundsReport
    {
        report.Interrupted = CancellationToken.IsCancellationRequested;
        report.Skipped = Skipped.All;
        report.SetHost();
        report.SetLimits(cells, threadsOf);
        return report;
    }
}
