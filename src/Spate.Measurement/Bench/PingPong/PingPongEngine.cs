using System.Diagnostics;
using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>Runs interleaved rounds of all rows, and then watches idle servers.</summary>
internal sealed class PingPongEngine(
    PingPongOptions options,
    CpuPlacement placement,
    IProgress<BenchStep>? progress,
    CancellationToken cancellationToken)
{
    // An adaptive server tries once in 256 waits whether spinning pays. These are enough for several trials.
    private const int WarmUpPings = 1000;

    private const int MinRounds = 3;

    // The idle servers take at most this part of the budget.
    private const double IdleShare = 0.3;

    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromSeconds(2);

    private readonly PingRound _round = new(placement, options.SizeBytes, cancellationToken);
    private readonly SkippedRows _skipped = new();
    private readonly BenchBudget _budget = new(options.Budget);

    public PingPongReport Execute(IReadOnlyList<PingTarget> targets)
    {
        Cell[] cells = [.. targets.Select(target => new Cell(target, options.SizeBytes) { Spins = target.Spins })];
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
            Interrupted = cancellationToken.IsCancellationRequested,
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
        report.SetHost();
        report.SetLimits(cells);
        return report;
    }

    private int RunRounds(Cell[] cells, TimeSpan until)
    {
        var steps = new BenchSteps(progress, options.RoundCount, cells.Length * (options.RoundCount + 1));
        var runner = new RoundRunner<Cell, PingRoundMeasurement>(cells, _budget, steps, _skipped, cancellationToken);
        _ = runner.WarmUp(until, WarmUp);

        // A round that would take too long has fewer pings, so that the median has enough rounds.
        TimeSpan maxRound =
            (until - _budget.Elapsed) / (Math.Min(MinRounds, options.RoundCount) * Math.Max(1, cells.Length));
        return runner.Run(
            options.RoundCount, until, cell => _round.Run(cell.Target, WarmUpPings, options.PingCount, maxRound));
    }

    private void WarmUp(Cell cell)
    {
        long start = Stopwatch.GetTimestamp();
        do
        {
            _ = _round.Run(cell.Target, WarmUpPings, Math.Min(options.PingCount, WarmUpPings), MaxWarmUp);
        }
        while (Stopwatch.GetElapsedTime(start) < options.WarmUpTime);
    }

    private sealed class Cell(PingTarget target, int sizeBytes)
        : BenchCell<PingRoundMeasurement>(target.Mode, sizeBytes)
    {
        public PingTarget Target { get; } = target;
    }
}
