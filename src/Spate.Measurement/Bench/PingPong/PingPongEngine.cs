using System.Diagnostics;
using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>Interleaved rounds over all rows, then the idle servers.</summary>
internal sealed class PingPongEngine(
    PingPongOptions options,
    CpuPlacement placement,
    IProgress<BenchStep>? progress,
    CancellationToken cancellationToken)
{
    // Enough for an adaptive server to find out that spinning pays, which it tries once in 256 waits.
    private const int WarmUpPings = 1000;

    private const int FewestRounds = 3;

    // Of the budget, at most, for the servers that nobody sends to.
    private const double IdleShare = 0.3;

    // Compiled code is made better in the background, after 100 ms without new methods.
    private static readonly TimeSpan WarmUpTime = TimeSpan.FromMilliseconds(300);

    private static readonly TimeSpan LongestWarmUp = TimeSpan.FromSeconds(2);

    private readonly PingRound _round = new(placement, options.SizeBytes, cancellationToken);
    private readonly SkippedRows _skipped = new();
    private readonly BenchBudget _budget = new(options.Budget);

    public PingPongReport Execute(IReadOnlyList<PingTarget> targets)
    {
        Cell[] cells = [.. targets.Select(target => new Cell(target, options.SizeBytes))];
        TimeSpan idleDuration = IdleServers.DurationWithin(options.Budget * IdleShare, options.IdleDuration);
        int roundCount = RunRounds(cells, options.Budget - IdleServers.TimeOf(idleDuration));
        PingPongRow[] rows = [.. cells
            .Where(static cell => cell.Rounds.Count > 0)
            .Select(static cell => PingPongRow.Of(cell.Name, cell.Rounds))];
        if (rows.Length == 0) throw _skipped.NothingRan();
        IdleRow[] idle = [.. IdleServers.Measure(idleDuration, _skipped, cancellationToken)];
        var report = new PingPongReport
        {
            SizeBytes = options.SizeBytes,
            Rounds = roundCount,
            Seconds = _budget.Elapsed.TotalSeconds,
            Rows = rows,
            Idle = idle,
            Skipped = _skipped.All,
            Placement = placement.Note,
            PingsAsked = options.PingCount,
            IdleSeconds = idleDuration.TotalSeconds,
            Threads =
            [
                ThreadReport.At("client", placement.SenderCpu), ThreadReport.At("server", placement.ReceiverCpu),
            ],
            Flows = 1,
        };
        report.SetMemory();
        return report;
    }

    private int RunRounds(Cell[] cells, TimeSpan until)
    {
        var steps = new BenchSteps(progress, options.RoundCount, cells.Length * (options.RoundCount + 1));
        var runner = new RoundRunner<Cell, PingRoundMeasurement>(cells, _budget, steps, _skipped, cancellationToken);
        _ = runner.WarmUp(until, WarmUp);

        // A round that would take too long has fewer pings, so that there are rounds enough for a median.
        TimeSpan longest =
            (until - _budget.Elapsed) / (Math.Min(FewestRounds, options.RoundCount) * Math.Max(1, cells.Length));
        return runner.Run(
            options.RoundCount, until, cell => _round.Run(cell.Target, WarmUpPings, options.PingCount, longest));
    }

    private void WarmUp(Cell cell)
    {
        long start = Stopwatch.GetTimestamp();
        do
        {
            _ = _round.Run(cell.Target, WarmUpPings, Math.Min(options.PingCount, WarmUpPings), LongestWarmUp);
        }
        while (Stopwatch.GetElapsedTime(start) < WarmUpTime);
    }

    private sealed class Cell(PingTarget target, int sizeBytes)
        : BenchCell<PingRoundMeasurement>(target.Mode, sizeBytes)
    {
        public PingTarget Target { get; } = target;
    }
}
