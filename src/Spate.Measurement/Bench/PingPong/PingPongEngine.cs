using System.Diagnostics;

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
    private static readonly TimeSpan _warmUp = TimeSpan.FromMilliseconds(300);

    private static readonly TimeSpan _longestWarmUp = TimeSpan.FromSeconds(2);

    private readonly PingRound _round = new(placement, options.SizeBytes, cancellationToken);
    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly BenchPace _pace = new(options.Budget, cancellationToken);
    private int _stepIndex;

    public PingPongReport Execute(IReadOnlyList<PingTarget> targets)
    {
        List<Cell> cells = [.. targets.Select(static target => new Cell(target))];
        TimeSpan idleDuration = IdleServers.DurationWithin(options.Budget * IdleShare, options.IdleDuration);
        int roundCount = RunRounds(cells, options.Budget - IdleServers.TimeOf(idleDuration));
        List<PingPongRow> rows = [.. cells
            .Where(static cell => cell.Rounds.Count > 0)
            .Select(static cell => PingPongRow.Of(cell.Target.Mode, cell.Rounds))];
        if (rows.Count == 0)
        {
            throw BenchPace.NothingRan(_skipped);
        }
        IdleRow[] idle = [.. IdleServers.Measure(idleDuration, _skipped, cancellationToken)];
        var report = new PingPongReport
        {
            SizeBytes = options.SizeBytes,
            Rounds = roundCount,
            Seconds = _pace.Elapsed.TotalSeconds,
            Rows = [.. rows],
            Idle = idle,
            Skipped = _skipped,
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

    private int RunRounds(List<Cell> cells, TimeSpan until)
    {
        TimeSpan most = TimeSpan.MaxValue;
        _ = _pace.WarmUp(cells.Count, until, Run, GiveUp);

        // A round that would take too long has fewer pings, so that there are rounds enough for a median.
        most = (until - _pace.Elapsed) / (Math.Min(FewestRounds, options.RoundCount) * Math.Max(1, cells.Count));
        int roundCount = _pace.RunRounds(cells.Count, options.RoundCount, until, Run, GiveUp);
        cells.ForEach(cell => BenchPace.Keep(cell.Rounds, roundCount));
        return roundCount;

        void Run(int index, int round)
        {
            Cell cell = cells[index];
            progress?.Report(new BenchStep(
                cell.Target.Mode, options.SizeBytes, round, options.RoundCount, _stepIndex++,
                cells.Count * (options.RoundCount + 1)));
            RunCell(cell, isWarmUp: round == 0, most);
        }

        void GiveUp(int index) => Fail(cells[index], BenchPace.NoTimeLeft);
    }

    private void RunCell(Cell cell, bool isWarmUp, TimeSpan most)
    {
        if (cell.Failed)
        {
            return;
        }
        try
        {
            if (!isWarmUp)
            {
                cell.Rounds.Add(_round.Run(cell.Target, WarmUpPings, options.PingCount, most));
                return;
            }
            long start = Stopwatch.GetTimestamp();
            do
            {
                _ = _round.Run(
                    cell.Target, WarmUpPings, Math.Min(options.PingCount, WarmUpPings), _longestWarmUp);
            }
            while (Stopwatch.GetElapsedTime(start) < _warmUp);
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
            _skipped.Add(new BenchSkippedRow(cell.Target.Mode, reason));
        }
    }

    private sealed class Cell(PingTarget target)
    {
        public PingTarget Target { get; } = target;

        public List<PingRoundMeasurement> Rounds { get; } = [];

        public bool Failed { get; set; }
    }
}
