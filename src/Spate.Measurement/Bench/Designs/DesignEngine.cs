namespace Spate.Measurement.Bench.Designs;

/// <summary>Interleaved rounds over every design, work and number of threads.</summary>
internal sealed class DesignEngine(DesignOptions options, int? generatorCpu, CancellationToken cancellationToken)
{
    // Enough for tiered compilation to be through with the loops.
    private const long WarmUpDatagramsLeast = 100_000;
    private const long WarmUpDatagramsMost = 250_000;
    private const int WarmUpShare = 4;

    // The part of the time that is for the warm-up at most: one in so many.
    private const int WarmUpTimeShare = 4;

    private const int FewestRounds = 3;

    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly BenchPace _pace = new(options.Budget, cancellationToken);
    private int _stepIndex;

    public DesignsReport Execute(IReadOnlyList<DesignTarget> targets, IProgress<BenchStep>? progress)
    {
        double nanosecondsPerWorkRound = WorkLoad.MeasureNanosecondsPerRound();
        DesignTarget[] available = [.. targets.Where(IsAvailable)];
        Cell[] cells = [.. options.ThreadCounts.SelectMany(threads => options.WorkRounds.SelectMany(
            work => available.Select(target => new Cell(target, threads, work))))];
        int roundCount = RunRounds(cells, progress);
        Cell[] measured = [.. cells.Where(static cell => cell.Rounds.Count > 0)];
        if (measured.Length == 0)
        {
            throw BenchPace.NothingRan(_skipped);
        }
        DesignRow[] rows = [.. measured.Select(static cell =>
            DesignRow.Of(cell.Target, cell.ThreadCount, cell.WorkRounds, cell.Rounds))];
        DesignMeasurement[] rounds = [.. measured.SelectMany(static cell => cell.Rounds)];
        var report = new DesignsReport
        {
            Rounds = roundCount,
            Seconds = _pace.Elapsed.TotalSeconds,
            SizeBytes = options.SizeBytes,
            DatagramsPerRound = options.RoundDatagrams,
            NanosecondsPerWorkRound = nanosecondsPerWorkRound,
            Notes = [.. rows.Zip(measured, NotesOf).SelectMany(static notes => notes).Distinct(StringComparer.Ordinal)],
            Rows = rows,
            Skipped = _skipped,
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
        report.SetMemory();
        return report;
    }

    private IEnumerable<string> NotesOf(DesignRow row, Cell cell) =>
        DesignNotes.Of(row, cell.Rounds, options.RoundDatagrams);

    private int RunRounds(Cell[] cells, IProgress<BenchStep>? progress)
    {
        int cellCount = Math.Max(1, cells.Length);
        TimeSpan sending = options.Budget / (WarmUpTimeShare * cellCount);
        _ = _pace.WarmUp(cells.Length, options.Budget, Run, GiveUp);

        // A round that would take too long has fewer datagrams, so that there are rounds enough for a median.
        sending = _pace.Left / (Math.Min(FewestRounds, options.RoundCount) * cellCount);
        int roundCount = _pace.RunRounds(cells.Length, options.RoundCount, options.Budget, Run, GiveUp);
        Array.ForEach(cells, cell => BenchPace.Keep(cell.Rounds, roundCount));
        return roundCount;

        void Run(int index, int round)
        {
            Cell cell = cells[index];
            progress?.Report(new BenchStep(
                cell.Name, options.SizeBytes, round, options.RoundCount, _stepIndex++,
                cells.Length * (options.RoundCount + 1)));
            RunCell(cell, isWarmUp: round == 0, sending);
        }

        void GiveUp(int index) => Fail(cells[index], BenchPace.NoTimeLeft);
    }

    private void RunCell(Cell cell, bool isWarmUp, TimeSpan sending)
    {
        if (cell.Failed)
        {
            return;
        }
        long all = options.RoundDatagrams;
        long warmUp = Math.Clamp(all / WarmUpShare, WarmUpDatagramsLeast, WarmUpDatagramsMost);
        long count = isWarmUp ? Math.Min(all, warmUp) : all;
        try
        {
            var round = new DesignRound(options, cell.Target, cell.ThreadCount, cell.WorkRounds, cancellationToken);
            DesignMeasurement measurement = round.Measure(count, sending, generatorCpu);
            if (!isWarmUp)
            {
                cell.Rounds.Add(measurement);
            }
        }
        catch (BenchException e)
        {
            // One row that fails must not cost the others their figures; half a row's rounds are not a result.
            Fail(cell, e.Message);
        }
    }

    private void Fail(Cell cell, string reason)
    {
        if (!cell.Failed)
        {
            cell.Failed = true;
            cell.Rounds.Clear();
            _skipped.Add(new BenchSkippedRow(cell.Name, reason));
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
