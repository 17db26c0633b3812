using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Reports;
using Spate.Measurement.Serving;

namespace Spate.Measurement.Bench.Designs;

/// <summary>Runs interleaved rounds of every design, work and number of threads.</summary>
internal sealed class DesignEngine(DesignOptions options, int? generatorCpu, CancellationToken cancellationToken)
{
    // Enough datagrams for tiered compilation to optimise the loops.
    private const long MinWarmUpDatagrams = 100_000;
    private const long MaxWarmUpDatagrams = 250_000;
    private const int WarmUpShare = 4;

    // The warm-up takes at most a quarter of the time.
    private const int WarmUpTimeShare = 4;

    private const int MinRounds = 3;

    private readonly SkippedRows _skipped = new();
    private readonly BenchBudget _budget = new(options.Budget);

    public DesignsReport Execute(IReadOnlyList<DesignTarget> targets, IProgress<BenchStep>? progress)
    {
        double nanosecondsPerWorkRound = WorkLoad.MeasureNanosecondsPerRound();
        DesignTarget[] available =
            [.. targets.Where(target => _skipped.IsAvailable(target.Name, target.UnavailableReason))];
        Cell[] cells = [.. options.ThreadCounts.SelectMany(threads => options.WorkRounds.SelectMany(
            work => available.Select(target => new Cell(target, threads, work, options))))];
        int roundCount = RunRounds(cells, progress);
        Cell[] measured = [.. cells.Where(static cell => cell.Rounds.Count > 0)];
        if (measured.Length == 0) throw _skipped.NothingRan();
        DesignRow[] rows = [.. measured.Select(static cell =>
            DesignRow.Of(cell.Target, cell.ThreadCount, cell.WorkRounds, cell.Rounds))];
        DesignMeasurement[] rounds = [.. measured.SelectMany(static cell => cell.Rounds)];
        var report = new DesignsReport
        {
            Rounds = roundCount,
            Interrupted = cancellationToken.IsCancellationRequested,
            Seconds = _budget.Elapsed.TotalSeconds,
            SizeBytes = options.SizeBytes,
            DatagramsPerRound = options.RoundDatagrams,
            NanosecondsPerWorkRound = nanosecondsPerWorkRound,
            Notes = [.. rows.Zip(measured, NotesOf).SelectMany(static notes => notes).Distinct(StringComparer.Ordinal)],
            Rows = rows,
            Skipped = _skipped.All,
            Threads =
            [
                ThreadReport.At("send", generatorCpu),
                .. options.ServerCpus.Select(static cpu => ThreadReport.At("receive", cpu)),
            ],
            Flows = options.FlowCount ?? options.ThreadCounts.Max(),
            Demotions = rounds.Sum(static round => round.Demotions),
            BufferAskedBytes = options.BufferBytes,
            BufferGrantedBytes = rounds.Max(static round => round.BufferGrantedBytes),
        };
        report.SetHost();
        report.SetLimits(cells);
        return report;
    }

    private IEnumerable<string> NotesOf(DesignRow row, Cell cell) =>
        DesignNotes.Of(row, cell.Rounds, options.RoundDatagrams);

    private int RunRounds(Cell[] cells, IProgress<BenchStep>? progress)
    {
        int cellCount = Math.Max(1, cells.Length);
        var steps = new BenchSteps(progress, options.RoundCount, cells.Length * (options.RoundCount + 1));
        var runner = new RoundRunner<Cell, DesignMeasurement>(cells, _budget, steps, _skipped, cancellationToken);
        long all = options.RoundDatagrams;
        long warmUp = Math.Min(all, Math.Clamp(all / WarmUpShare, MinWarmUpDatagrams, MaxWarmUpDatagrams));
        TimeSpan sending = options.Budget / (WarmUpTimeShare * cellCount);
        _ = runner.WarmUp(options.Budget, cell => Measure(cell, warmUp, sending));

        // A round that would take too long has fewer datagrams, so that the median has enough rounds.
        sending = _budget.Left / (Math.Min(MinRounds, options.RoundCount) * cellCount);
        return runner.Run(options.RoundCount, options.Budget, cell => Measure(cell, all, sending));
    }

    private DesignMeasurement Measure(Cell cell, long count, TimeSpan sending) =>
        new DesignRound(options, cell.Target, cell.ThreadCount, cell.WorkRounds, cancellationToken)
            .Measure(count, sending, generatorCpu);

    private sealed class Cell(DesignTarget target, int threadCount, int workRounds, DesignOptions options)
        : BenchCell<DesignMeasurement>(
            target.Name + (options.ThreadCounts.Count == 1 ? "" : $" on {threadCount} threads")
                + (workRounds == 0 ? "" : $" with work {workRounds}"),
            options.SizeBytes)
    {
        public DesignTarget Target { get; } = target;

        public int ThreadCount { get; } = threadCount;

        public int WorkRounds { get; } = workRounds;
    }
}
