using System.Diagnostics;

namespace Spate.Measurement.Bench.Relay;

/// <summary>Interleaved rounds over all relays and both kinds of generator.</summary>
internal sealed class RelayEngine(
    RelayOptions options,
    CpuPlacement placement,
    IProgress<BenchStep>? progress,
    CancellationToken cancellationToken)
{
    private static readonly TimeSpan _shortestRound = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan _longestRound = TimeSpan.FromSeconds(2);

    private readonly RelayRound _round = new(options, placement);
    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private int _stepIndex;

    public RelayResult Execute(IReadOnlyList<RelayTarget> targets)
    {
        List<Cell> cells = [];
        foreach (bool trains in Generators())
        {
            cells.AddRange(targets.Where(IsAvailable).Select(target => new Cell(target, trains)));
        }
        TimeSpan duration = RoundDuration(cells.Count);
        RunRounds(cells, duration);
        List<RelayRowResult> rows = [.. cells
            .Where(static cell => cell.Rounds.Count > 0)
            .Select(cell => ToRow(cell, cells))];
        if (rows.Count == 0)
        {
            throw new BenchException("No row could run. " + string.Join(" ", _skipped.Select(row => row.Reason)));
        }
        return new RelayResult
        {
            Rows = rows,
            Skipped = _skipped,
            Placement = placement,
            SizeBytes = options.SizeBytes,
            AskedDatagramsPerSecond = options.DatagramsPerSecond,
            BurstDatagrams = RelayGenerator.BurstDatagrams,
            RoundSeconds = duration.TotalSeconds,
            TotalSeconds = _watch.Elapsed.TotalSeconds,
        };
    }

    /// <summary>Shares the budget out; one that is too short for it all is overstayed.</summary>
    private TimeSpan RoundDuration(int cellCount)
    {
        TimeSpan each = (options.Budget / Math.Max(1, cellCount * (options.RoundCount + 1))) - RelayRound.Overhead;
        return each < _shortestRound ? _shortestRound : each > _longestRound ? _longestRound : each;
    }

    private IEnumerable<bool> Generators()
    {
        if (options.WithTrains) yield return true;
        if (options.WithoutTrains) yield return false;
    }

    private void RunRounds(List<Cell> cells, TimeSpan duration)
    {
        for (int round = 0; round <= options.RoundCount; round++)
        {
            foreach (int index in BenchPlan.Order(round, cells.Count))
            {
                cancellationToken.ThrowIfCancellationRequested();
                Cell cell = cells[index];
                progress?.Report(new BenchStep(
                    cell.Target.Name, options.SizeBytes, round, options.RoundCount, _stepIndex++,
                    cells.Count * (options.RoundCount + 1)));
                RunCell(cell, isWarmUp: round == 0, duration);
            }
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
            cell.Failed = true;
            cell.Rounds.Clear();
            Skip(cell.Target.Name, e.Message);
        }
    }

    private static RelayRowResult ToRow(Cell cell, List<Cell> cells)
    {
        RelayRowResult row = RelayRowResult.FromRounds(cell.Target.Name, cell.Trains, cell.Rounds);
        Cell? baseline = cells.Find(other => string.Equals(
                other.Target.Name, RelayTarget.BaselineName, StringComparison.Ordinal)
            && other.Trains == cell.Trains && other.Rounds.Count > 0);
        return baseline is null
            ? row
            : row with { TimesLessThanSocketAsync = RelayRowResult.TimesLess(cell.Rounds, baseline.Rounds) };
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
