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
        Func<BenchCell<TRound>, IEnumerable<ThreadReport>?>? threadsOf = null)
        where TReport : RoundsReport
    {
        report.Interrupted = CancellationToken.IsCancellationRequested;
        report.Skipped = Skipped.All;
        report.SetHost();
        report.SetLimits(cells, threadsOf);
        return report;
    }
}

/// <summary>The time of one benchmark: used, left, and what fits into the rest. The constructor starts it.</summary>
internal sealed class BenchBudget(TimeSpan total, TimeProvider time)
{
    private readonly long _start = time.GetTimestamp();

    public TimeSpan Total { get; } = total;

    public TimeSpan Elapsed => time.GetElapsedTime(_start);

    /// <summary>Zero when it is used up.</summary>
    public TimeSpan Left => Elapsed < Total ? Total - Elapsed : TimeSpan.Zero;

    /// <summary>The number and the length of the rounds that fit into the time left after a warm-up.</summary>
    /// <param name="overhead">The time that a cell takes besides its round length.</param>
    public static (int RoundCount, TimeSpan Length) Fit(
        TimeSpan left, int cellCount, TimeSpan overhead, int roundCount, TimeSpan minLength, TimeSpan maxLength)
    {
        overhead = overhead > TimeSpan.Zero ? overhead : TimeSpan.Zero;
        int rounds = roundCount;
        TimeSpan length = LengthOf(rounds);
        while (length < minLength && rounds > 1)
        {
            // An odd number of rounds has a middle one, which is the median.
            rounds = rounds > 3 ? rounds - 2 : 1;
            length = LengthOf(rounds);
        }
        return (rounds, length < minLength ? minLength : length > maxLength ? maxLength : length);

        TimeSpan LengthOf(int count) => (left / Math.Max(1, cellCount * count)) - overhead;
    }
}

/// <summary>The progress of a bench, never reported while something is measured, so as not to disturb it.</summary>
/// <param name="Round">The round, from 1; 0 is the warm-up, which is not counted.</param>
/// <param name="StepCount">The number of all steps, warm-up included.</param>
internal readonly record struct BenchStep(
    string RowName, int SizeBytes, int Round, int RoundCount, int StepIndex, int StepCount);

/// <summary>Reports the steps of a benchmark. A step is a cell in a round.</summary>
internal sealed class BenchSteps(IProgress<BenchStep>? progress, int roundCount, int stepCount)
{
    private int _index;

    /// <summary>Round 0 is the warm-up.</summary>
    public void Report(string rowName, int sizeBytes, int round) =>
        progress?.Report(new BenchStep(rowName, sizeBytes, round, roundCount, _index++, stepCount));
}
