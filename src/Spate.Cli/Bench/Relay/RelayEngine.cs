using Spate.Cli.Bench.Rounds;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Relay;

/// <summary>Runs interleaved rounds of all relays with both kinds of generator. Tests replace the rounds.</summary>
internal sealed class RelayEngine(
    RelayOptions options,
    CpuPlacement placement,
    Func<RelayTarget, bool, TimeSpan, RelayMeasurement> runRound,
    BenchCourse course)
{
    private static readonly TimeSpan MinRound = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan MaxRound = TimeSpan.FromSeconds(2);

    public RelayReport Execute(IReadOnlyList<RelayTarget> targets)
    {
        Cell[] cells = [.. Generators().SelectMany(usesGso => targets
            .Where(target => course.Skipped.IsAvailable(target.Name, target.UnavailableReason))
            .Select(target => new Cell(target, usesGso, options.SizeBytes)))];
        int roundCount = RunRounds(cells, out TimeSpan duration);
        RelayRow[] rows = course.RequireRows(cells
            .Where(static cell => cell.IsMeasured)
            .Select(cell => RelayRow.Of(cell.Target.Name, cell.UsesGso, cell.Rounds, BaselineOf(cell, cells))));
        var report = new RelayReport
        {
            SizeBytes = options.SizeBytes,
            AskedDatagramsPerSecond = options.DatagramsPerSecond,
            Rounds = roundCount,
            Seconds = course.Budget.Elapsed.TotalSeconds,
            Rows = rows,
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
        return course.Finish(report, cells);
    }

    private IEnumerable<bool> Generators()
    {
        if (options.WithGso) yield return true;
        if (options.WithoutGso) yield return false;
    }

    /// <summary>Divides the budget among the rounds; returns the number of complete ones.</summary>
    private int RunRounds(Cell[] cells, out TimeSpan roundDuration)
    {
        var runner = new RoundRunner<Cell, RelayMeasurement>(
            cells, course, course.Steps(options.RoundCount, cells.Length));
        (_, TimeSpan duration) = BenchBudget.Fit(
            course.Budget.Left, cells.Length, RelayRound.Overhead, options.RoundCount + 1, MinRound, MaxWarmUp);
        TimeSpan each = runner.WarmUp(options.Budget, cell => Measure(cell));

        // The warm-up showed what a round takes besides sending. Opening and closing differ much between machines.
        (int maxRounds, duration) = BenchBudget.Fit(
            course.Budget.Left, cells.Length, each - duration, options.RoundCount, MinRound, MaxRound);
        roundDuration = duration;
        return runner.Run(maxRounds, options.Budget, Measure);

        RelayMeasurement Measure(Cell cell) => runRound(cell.Target, cell.UsesGso, duration);
    }

    private static List<RelayMeasurement> BaselineOf(Cell cell, Cell[] cells) => Array.Find(
        cells,
        other => other.UsesGso == cell.UsesGso
            && string.Equals(other.Target.Name, RelayTarget.BaselineName, StringComparison.Ordinal))?.Rounds ?? [];

    private sealed class Cell(RelayTarget target, bool usesGso, int sizeBytes) : BenchCell<RelayMeasurement>(
        target.Name + (usesGso ? " with GSO messages" : " without GSO messages"), sizeBytes)
    {
        public RelayTarget Target { get; } = target;

        public bool UsesGso { get; } = usesGso;
    }
}
