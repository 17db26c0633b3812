using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Rounds;

/// <summary>The course of one benchmark: its time, its steps, who may interrupt it, and the rows left out.</summary>
internal sealed class BenchCourse(
    TimeSpan total,
    IProgress<BenchStep>? progress,
    CancellationToken cancellationToken,
    TimeProvider? time = null)
{
    /// <summary>The clock of the budget, of pauses, and of rounds that are not timed elsewhere.</summary>
    public TimeProvider Time { get; } = time ?? TimeProvider.System;

    public BenchBudget Budget { get; } = new(total, time ?? TimeProvider.System);

    public SkippedRows Skipped { get; } = new();

    public CancellationToken CancellationToken { get; } = cancellationToken;

    /// <summary>Begins to watch the CPUs in the rounds; tests replace it.</summary>
    public Func<IRoundWatch> OpenWatch { get; init; } = static () => new HostRoundWatch();

    /// <summary>An interruption ends it.</summary>
    public void Pause(TimeSpan length) => _ = Time.Wait(length, CancellationToken);

    public BenchSteps Steps(int roundCount, int cellCount, int warmUpCount = 1, int otherCount = 0) =>
        new(progress, roundCount, (cellCount * (warmUpCount + roundCount)) + otherCount);

    /// <summary>Throws a <see cref="BenchException"/>, with the reason, if there is none.</summary>
    public TRow[] RequireRows<TRow>(IEnumerable<TRow> rows)
    {
        TRow[] all = [.. rows];
        return all.Length > 0 ? all : throw Skipped.NothingRan();
    }

    /// <summary>Adds to a report what each has of its course, see <see cref="RoundsReport.SetLimits"/>.</summary>
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
