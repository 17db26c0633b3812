using System.Diagnostics;

namespace Spate.Measurement.Bench.Designs;

/// <summary>Interleaved rounds over every design, work and number of threads.</summary>
internal sealed class DesignEngine(DesignOptions options, int? generatorCpu)
{
    // Enough for tiered compilation to be through with the loops.
    private const long WarmUpDatagramsLeast = 100_000;
    private const int WarmUpShare = 4;

    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private int _stepIndex;

    public DesignResult Execute(
        IReadOnlyList<DesignTarget> targets, IProgress<BenchStep>? progress, CancellationToken cancellationToken)
    {
        double nanosecondsPerWorkRound = WorkLoad.MeasureNanosecondsPerRound();
        DesignTarget[] available = [.. targets.Where(IsAvailable)];
        Cell[] cells = [.. options.ThreadCounts.SelectMany(threads => options.WorkRounds.SelectMany(
            work => available.Select(target => new Cell(target, threads, work))))];
        int roundCount = RunRounds(cells, progress, cancellationToken);
        DesignRowResult[] rows = [.. cells.Where(static cell => cell.Rounds.Count > 0).Select(static cell =>
            DesignRowResult.Of(cell.Target, cell.ThreadCount, cell.WorkRounds, cell.Rounds))];
        if (rows.Length == 0)
        {
            throw new BenchException("No row could run. " + string.Join(" ", _skipped.Select(row => row.Reason)));
        }
        return new DesignResult
        {
            Rows = rows,
            Skipped = _skipped,
            Options = options,
            GeneratorCpu = generatorCpu,
            NanosecondsPerWorkRound = nanosecondsPerWorkRound,
            DatagramsPerRound = options.RoundDatagrams,
            RoundCount = roundCount,
            TotalSeconds = _watch.Elapsed.TotalSeconds,
        };
    }

    private int RunRounds(Cell[] cells, IProgress<BenchStep>? progress, CancellationToken cancellationToken)
    {
        TimeSpan lastPass = TimeSpan.Zero;
        int roundCount = 0;
        for (int round = 0; round <= options.RoundCount; round++)
        {
            TimeSpan before = _watch.Elapsed;
            if (roundCount > 0 && before + lastPass > options.Budget)
            {
                // The machine is slower than planned: fewer rounds rather than a run that overstays.
                break;
            }
            foreach (int index in BenchPlan.Order(round, cells.Length))
            {
                cancellationToken.ThrowIfCancellationRequested();
                Cell cell = cells[index];
                progress?.Report(new BenchStep(
                    cell.Name, options.SizeBytes, round, options.RoundCount, _stepIndex++,
                    cells.Length * (options.RoundCount + 1)));
                RunCell(cell, isWarmUp: round == 0);
            }
            roundCount = round;
            lastPass = _watch.Elapsed - before;
        }
        return roundCount;
    }

    private void RunCell(Cell cell, bool isWarmUp)
    {
        if (cell.Failed)
        {
            return;
        }
        long all = options.RoundDatagrams;
        long count = isWarmUp ? Math.Min(all, Math.Max(WarmUpDatagramsLeast, all / WarmUpShare)) : all;
        try
        {
            DesignMeasurement measurement =
                new DesignRound(options, cell.Target, cell.ThreadCount, cell.WorkRounds).Measure(count, generatorCpu);
            if (!isWarmUp)
            {
                cell.Rounds.Add(measurement);
            }
        }
        catch (BenchException e)
        {
            // One row that fails must not cost the others their figures; half a row's rounds are not a result.
            cell.Failed = true;
            cell.Rounds.Clear();
            _skipped.Add(new BenchSkippedRow(cell.Name, e.Message));
        }
    }

    private bool IsAvailable(DesignTarget target)
    {
        if (target.UnavailableReason is not string reason)
        {
            return true;
        }
        _skipped.Add(new BenchSkippedRow(target.Name, reason));
        return false;
    }

    private sealed class Cell(DesignTarget target, int threadCount, int workRounds)
    {
        public DesignTarget Target { get; } = target;

        public int ThreadCount { get; } = threadCount;

        public int WorkRounds { get; } = workRounds;

        public string Name => WorkRounds == 0 ? Target.Name : $"{Target.Name} with work {WorkRounds}";

        public List<DesignMeasurement> Rounds { get; } = [];

        public bool Failed { get; set; }
    }
}
