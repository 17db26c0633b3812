using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Bench.Relay;

/// <summary>Runs interleaved rounds of all relays with both kinds of generator.</summary>
internal sealed class RelayEngine(
    RelayOptions options,
    CpuPlacement placement,
    IProgress<BenchStep>? progress,
    CancellationToken cancellationToken)
{
    private static readonly TimeSpan MinRound = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan MaxRound = TimeSpan.FromSeconds(2);

    private readonly RelayRound _round = new(options, placement, cancellationToken);
    private readonly SkippedRows _skipped = new();
    private readonly BenchBudget _budget = new(options.Budget);

    public RelayReport Execute(IReadOnlyList<RelayTarget> targets)
    {
        Cell[] cells = [.. Generators().SelectMany(trains => targets
            .Where(target => _skipped.IsAvailable(target.Name, target.UnavailableReason))
            .Select(target => new Cell(target, trains, options.SizeBytes)))];
        int roundCount = RunRounds(cells, out TimeSpan duration);
        RelayRow[] rows = [.. cells
            .Where(static cell => cell.Rounds.Count > 0)
            .Select(cell => RelayRow.Of(cell.Target.Name, cell.Trains, cell.Rounds, BaselineOf(cell, cells)))];
        if (rows.Length == 0) throw _skipped.NothingRan();
        var report = new RelayReport
        {
            SizeBytes = options.SizeBytes,
            AskedDatagramsPerSecond = options.DatagramsPerSecond,
            Rounds = roundCount,
            Interrupted = cancellationToken.IsCancellationRequested,
            Seconds = _budget.Elapsed.TotalSeconds,
            Rows = rows,
            Skipped = _skipped.All,
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
        report.SetHost();
        report.SetLimits(cells);
        return report;
    }

    private IEnumerable<bool> Generators()
    {
        if (options.WithTrains) yield return true;
        if (options.WithoutTrains) yield return false;
    }

    /// <summary>Divides the budget among the rounds and runs them.</summary>
    /// <returns>The number of complete rounds.</returns>
    private int RunRounds(Cell[] cells, out TimeSpan roundDuration)
    {
        var steps = new BenchSteps(progress, options.RoundCount, cells.Length * (options.RoundCount + 1));
        var runner = new RoundRunner<Cell, RelayMeasurement>(cells, _budget, steps, _skipped, cancellationToken);
        (_, TimeSpan duration) = BenchBudget.Fit(
            _budget.Left, cells.Length, RelayRound.Overhead, options.RoundCount + 1, MinRound, MaxWarmUp);
        TimeSpan each = runner.WarmUp(options.Budget, cell => Measure(cell));

        // The warm-up showed what a round takes besides sending. Opening and closing differ much between machines.
        (int maxRounds, duration) = BenchBudget.Fit(
            _budget.Left, cells.Length, each - duration, options.RoundCount, MinRound, MaxRound);
        roundDuration = duration;
        return runner.Run(maxRounds, options.Budget, Measure);

        RelayMeasurement Measure(Cell cell) => _round.Run(cell.Target, cell.Trains, duration);
    }

    private static List<RelayMeasurement> BaselineOf(Cell cell, Cell[] cells) => Array.Find(
        cells,
        other => other.Trains == cell.Trains
            && string.Equals(other.Target.Name, RelayTarget.BaselineName, StringComparison.Ordinal))?.Rounds ?? [];

    private sealed class Cell(RelayTarget target, bool trains, int sizeBytes) : BenchCell<RelayMeasurement>(
        target.Name + (trains ? " with trains" : " without trains"), sizeBytes)
    {
        public RelayTarget Target { get; } = target;

        public bool Trains { get; } = trains;
    }
}
