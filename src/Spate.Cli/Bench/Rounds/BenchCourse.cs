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
    string RowName, int SizeBytes, int Round, int RoundCount, int StepIndex, int StepCount)
{
    public override string ToString()
    {
        string round = Round == 0 ? "warm-up" : $"round {Round} of {RoundCount}";
        int percent = StepCount == 0 ? 0 : 100 * StepIndex / StepCount;
        return $"bench {percent,3} %  {RowName}, {SizeBytes} bytes, {round}";
    }
}

/// <summary>Reports the steps of a benchmark. A step is a cell in a round.</summary>
internal sealed class BenchSteps(IProgress<BenchStep>? progress, int roundCount, int stepCount)
{
    private int _index;

    /// <summary>Round 0 is the warm-up.</summary>
    public void Report(string rowName, int sizeBytes, int round) =>
        progress?.Report(new BenchStep(rowName, sizeBytes, round, roundCount, _index++, stepCount));
}

/// <summary>The rows of a benchmark that did not run, each with its reason.</summary>
internal sealed class SkippedRows
{
    public const string NoTimeLeft = "no time was left for it; allow more time, or measure less";

    private readonly List<BenchSkippedRow> _rows = [];

    public IReadOnlyList<BenchSkippedRow> All => _rows;

    /// <summary>Adds a row, unless it was added with the same reason before.</summary>
    public void Add(string name, string reason)
    {
        var row = new BenchSkippedRow(name, reason);
        if (!_rows.Contains(row)) _rows.Add(row);
    }

    /// <summary>A row that cannot run is added.</summary>
    public bool IsAvailable(string name, string? unavailableReason)
    {
        if (unavailableReason is null) return true;
        Add(name, unavailableReason);
        return false;
    }

    /// <summary>It names the first reason and counts the others.</summary>
    public BenchException NothingRan()
    {
        IReadOnlyList<BenchSkippedRow> kinds = BenchSkippedRow.Join(_rows);
        string more = kinds.Count > 1 ? $" (and {kinds.Count - 1} other reasons)" : "";
        string reason = kinds.Count > 0 ? $": {kinds[0].Reason}" : "";
        return new BenchException($"No row could run{reason}{more}");
    }
}

/// <summary>A row that did not run, or several, with their names joined by commas, and the reason.</summary>
internal sealed record BenchSkippedRow(string Name, string Reason)
{
    /// <summary>Joins the rows of each reason. Reasons that differ only in numbers count as the same.</summary>
    public static IReadOnlyList<BenchSkippedRow> Join(IEnumerable<BenchSkippedRow> rows)
    {
        return [.. rows.GroupBy(static row => Kind(row.Reason), StringComparer.Ordinal).Select(One)];

        static string Kind(string reason) => string.Concat(reason.Where(static c => !char.IsAsciiDigit(c)));

        static BenchSkippedRow One(IEnumerable<BenchSkippedRow> alike)
        {
            string names = string.Join(", ", alike.Select(static row => row.Name).Distinct(StringComparer.Ordinal));
            string reason = alike.First().Reason;
            bool isSame = alike.All(row => row.Reason.Equals(reason, StringComparison.Ordinal));
            return new BenchSkippedRow(names, isSame ? reason : $"{reason} (numbers of the first)");
        }
    }

    /// <summary>The name of a row at a size. It names the size only if there are several.</summary>
    internal static string NameOf(string row, int sizeBytes, int sizeCount) =>
        sizeCount > 1 ? $"{row} at {sizeBytes} bytes" : row;
}
