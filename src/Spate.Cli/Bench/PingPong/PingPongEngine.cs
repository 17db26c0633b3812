using Spate.Cli.Bench.Rounds;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.PingPong;

/// <summary>
/// Runs interleaved rounds of all rows, and then watches idle servers. <paramref name="runRound"/> takes the pings that
/// do not count, those that do, and the longest time.
/// </summary>
internal sealed class PingPongEngine(
    PingPongOptions options,
    CpuPlacement placement,
    Func<PingTarget, int, int, TimeSpan, PingRoundMeasurement> runRound,
    Func<TimeSpan, IReadOnlyList<IdleRow>> watchIdle,
    BenchCourse course)
{
    // An adaptive server tries once in 256 waits whether spinning pays. These are enough for several trials.
    private const int WarmUpPings = 1000;

    private const int MinRounds = 3;

    // The idle servers take at most this part of the budget.
    private const double IdleShare = 0.3;

    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromSeconds(2);

    public PingPongReport Execute(IReadOnlyList<PingTarget> targets)
    {
        Cell[] cells = [.. targets.Select(target => new Cell(target, options.SizeBytes) { Spins = target.Spins })];
        TimeSpan idleDuration = IdleServers.DurationWithin(options.Budget * IdleShare, options.IdleDuration);
        int roundCount = RunRounds(cells, options.Budget - IdleServers.TimeOf(idleDuration));
        PingPongRow[] rows = course.RequireRows(cells
            .Where(static cell => cell.IsMeasured)
            .Select(static cell => PingPongRow.Of(cell.Name, cell.Rounds)));
        IdleRow[] idle = [.. watchIdle(idleDuration)];
        var report = new PingPongReport
        {
            SizeBytes = options.SizeBytes,
            Rounds = roundCount,
            Seconds = course.Budget.Elapsed.TotalSeconds,
            Rows = rows,
            Idle = idle,
            Placement = placement.Note,
            PingsAsked = options.PingCount,
            IdleSeconds = idleDuration.TotalSeconds,
            Threads =
            [
                ThreadReport.At("client", placement.SenderCpu), ThreadReport.At("server", placement.ReceiverCpu),
            ],
            Flows = 1,
        };
        return course.Finish(report, cells);
    }

    private int RunRounds(Cell[] cells, TimeSpan until)
    {
        var runner = new RoundRunner<Cell, PingRoundMeasurement>(
            cells, course, course.Steps(options.RoundCount, cells.Length));
        _ = runner.WarmUp(until, WarmUp);

        // A round that would take too long has fewer pings, so that the median has enough rounds.
        TimeSpan left = until > course.Budget.Elapsed ? until - course.Budget.Elapsed : TimeSpan.Zero;
        TimeSpan maxRound = left / (Math.Min(MinRounds, options.RoundCount) * Math.Max(1, cells.Length));
        return runner.Run(
            options.RoundCount, until, cell => runRound(cell.Target, WarmUpPings, options.PingCount, maxRound));
    }

    private void WarmUp(Cell cell)
    {
        long start = course.Time.GetTimestamp();
        do
        {
            _ = runRound(cell.Target, WarmUpPings, Math.Min(options.PingCount, WarmUpPings), MaxWarmUp);
        }
        while (course.Time.GetElapsedTime(start) < options.WarmUpTime);
    }

    private sealed class Cell(PingTarget target, int sizeBytes)
        : BenchCell<PingRoundMeasurement>(target.Mode, sizeBytes)
    {
        public PingTarget Target { get; } = target;
    }
}
