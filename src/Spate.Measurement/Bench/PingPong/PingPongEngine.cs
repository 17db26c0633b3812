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

    // Compiled code is made better in the background, after 100 ms without new methods.
    private static readonly TimeSpan _warmUp = TimeSpan.FromMilliseconds(300);

    private readonly PingRound _round = new(placement, options.SizeBytes, cancellationToken);
    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private int _stepIndex;

    public PingPongResult Execute(IReadOnlyList<PingTarget> targets)
    {
        List<Cell> cells = [.. targets.Select(static target => new Cell(target))];
        for (int round = 0; round <= options.RoundCount; round++)
        {
            foreach (int index in BenchPlan.Order(round, cells.Count))
            {
                cancellationToken.ThrowIfCancellationRequested();
                Cell cell = cells[index];
                progress?.Report(new BenchStep(
                    cell.Target.Mode, options.SizeBytes, round, options.RoundCount, _stepIndex++,
                    cells.Count * (options.RoundCount + 1)));
                RunCell(cell, isWarmUp: round == 0);
            }
        }
        List<PingPongRowResult> rows = [.. cells
            .Where(static cell => cell.Rounds.Count > 0)
            .Select(static cell => PingPongRowResult.FromRounds(cell.Target.Mode, cell.Rounds))];
        if (rows.Count == 0)
        {
            throw new BenchException("No row could run. " + string.Join(" ", _skipped.Select(row => row.Reason)));
        }
        IReadOnlyList<IdleServerResult> idle =
            IdleServers.Measure(options.IdleDuration, _skipped, cancellationToken);
        return new PingPongResult
        {
            Rows = rows,
            Idle = idle,
            Skipped = _skipped,
            Placement = placement,
            SizeBytes = options.SizeBytes,
            PingCount = options.PingCount,
            IdleSeconds = options.IdleDuration.TotalSeconds,
            TotalSeconds = _watch.Elapsed.TotalSeconds,
        };
    }

    private void RunCell(Cell cell, bool isWarmUp)
    {
        if (cell.Failed)
        {
            return;
        }
        try
        {
            if (!isWarmUp)
            {
                cell.Rounds.Add(_round.Run(cell.Target, WarmUpPings, options.PingCount));
                return;
            }
            long start = Stopwatch.GetTimestamp();
            do
            {
                _ = _round.Run(cell.Target, WarmUpPings, Math.Min(options.PingCount, WarmUpPings));
            }
            while (Stopwatch.GetElapsedTime(start) < _warmUp);
        }
        catch (BenchException e)
        {
            // One row that fails must not cost the others their figures; half a row's rounds are not a result.
            cell.Failed = true;
            cell.Rounds.Clear();
            _skipped.Add(new BenchSkippedRow(cell.Target.Mode, e.Message));
        }
    }

    private sealed class Cell(PingTarget target)
    {
        public PingTarget Target { get; } = target;

        public List<PingRoundMeasurement> Rounds { get; } = [];

        public bool Failed { get; set; }
    }
}
