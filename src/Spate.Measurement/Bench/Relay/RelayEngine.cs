namespace Spate.Measurement.Bench.Relay;

/// <summary>Interleaved rounds over all relays and both kinds of generator.</summary>
internal sealed class RelayEngine(
    RelayOptions options,
    CpuPlacement placement,
    IProgress<BenchStep>? progress,
    CancellationToken cancellationToken)
{
    private static readonly TimeSpan _shortestRound = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan _longestWarmUp = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan _longestRound = TimeSpan.FromSeconds(2);

    private readonly RelayRound _round = new(options, placement, cancellationToken);
    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly BenchPace _pace = new(options.Budget, cancellationToken);
    private int _stepIndex;

    public RelayReport Execute(IReadOnlyList<RelayTarget> targets)
    {
        List<Cell> cells = [];
        foreach (bool trains in Generators())
        {
            cells.AddRange(targets.Where(IsAvailable).Select(target => new Cell(target, trains)));
        }
        int roundCount = RunRounds(cells, out TimeSpan duration);
        List<RelayRow> rows = [.. cells
            .Where(static cell => cell.Rounds.Count > 0)
            .Select(cell => ToRow(cell, cells))];
        if (rows.Count == 0)
        {
            throw BenchPace.NothingRan(_skipped);
        }
        var report = new RelayReport
        {
            SizeBytes = options.SizeBytes,
            AskedDatagramsPerSecond = options.DatagramsPerSecond,
            Rounds = roundCount,
            Seconds = _pace.Elapsed.TotalSeconds,
            Rows = [.. rows],
            Skipped = _skipped,
            Placement = placement.Note,
            BurstDatagrams = RelayGenerator.BurstDatagrams,
            RoundSeconds = duration.TotalSeconds,
            Threads =
            [
                ThreadReport.At("generate", placement.SenderCpu),
                ThreadReport.At("sink", placement.SenderCpu),
                ThreadReport.At("relay", placement.ReceiverCpu),
            ],
            Flows = 1,
        };
        report.SetMemory();
        return report;
    }

    private IEnumerable<bool> Generators()
    {
        if (options.WithTrains) yield return true;
        if (options.WithoutTrains) yield return false;
    }

    /// <summary>Shares the budget out; returns how many rounds were complete.</summary>
    private int RunRounds(List<Cell> cells, out TimeSpan roundDuration)
    {
        (_, TimeSpan duration) = BenchPace.Fit(
            _pace.Left, cells.Count, RelayRound.Overhead, options.RoundCount + 1, _shortestRound, _longestWarmUp);
        TimeSpan each = _pace.WarmUp(cells.Count, options.Budget, Run, GiveUp);

        // What a relay needs besides the sending is known now; opening and closing differ much between machines.
        (int most, duration) = BenchPace.Fit(
            _pace.Left, cells.Count, each - duration, options.RoundCount, _shortestRound, _longestRound);
        int roundCount = _pace.RunRounds(cells.Count, most, options.Budget, Run, GiveUp);
        cells.ForEach(cell => BenchPace.Keep(cell.Rounds, roundCount));
        roundDuration = duration;
        return roundCount;

        void Run(int index, int round)
        {
            Cell cell = cells[index];
            progress?.Report(new BenchStep(
                cell.Target.Name, options.SizeBytes, round, options.RoundCount, _stepIndex++,
                cells.Count * (options.RoundCount + 1)));
            RunCell(cell, isWarmUp: round == 0, duration);
        }

        void GiveUp(int index)
        {
            Cell cell = cells[index];
            string generator = cell.Trains ? "with trains" : "without trains";
            Fail(cell, $"{cell.Target.Name} {generator}", BenchPace.NoTimeLeft);
        }
    }

    private void RunCell(Cell cell, bool isWarmUp, TimeSpan duration)
    {
        if (cell.Failed)
        {
            return;
        }
        try
        {
            RelayMeasurement measurement = _round.Run(cell.Target, cell.Trains, duration);
            if (!isWarmUp)
            {
                cell.Rounds.Add(measurement);
            }
        }
        catch (BenchException e)
        {
            // One row that fails must not cost the others their figures; half a row's rounds are not a result.
            Fail(cell, cell.Target.Name, e.Message);
        }
    }

    private void Fail(Cell cell, string name, string reason)
    {
        if (!cell.Failed)
        {
            cell.Failed = true;
            cell.Rounds.Clear();
            Skip(name, reason);
        }
    }

    private static RelayRow ToRow(Cell cell, List<Cell> cells)
    {
        Cell? baseline = cells.Find(other => string.Equals(
                other.Target.Name, RelayTarget.BaselineName, StringComparison.Ordinal)
            && other.Trains == cell.Trains && other.Rounds.Count > 0);
        return RelayRow.Of(cell.Target.Name, cell.Trains, cell.Rounds, baseline?.Rounds ?? []);
    }

    private bool IsAvailable(RelayTarget target)
    {
        if (target.UnavailableReason is not string reason)
        {
            return true;
        }
        Skip(target.Name, reason);
        return false;
    }

    private void Skip(string name, string reason)
    {
        var row = new BenchSkippedRow(name, reason);
        if (!_skipped.Contains(row))
        {
            _skipped.Add(row);
        }
    }

    private sealed class Cell(RelayTarget target, bool trains)
    {
        public RelayTarget Target { get; } = target;

        public bool Trains { get; } = trains;

        public List<RelayMeasurement> Rounds { get; } = [];

        public bool Failed { get; set; }
    }
}
