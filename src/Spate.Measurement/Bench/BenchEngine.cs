using Spate.Measurement.Bench.Peers;

namespace Spate.Measurement.Bench;

/// <summary>The rounds over all rows and sizes; how one is run is given from outside.</summary>
internal sealed class BenchEngine(
    BenchOptions options,
    CpuPlacement placement,
    Func<BenchTarget, int, TimeSpan, RoundMeasurement> runRound,
    Func<PeerProgram, int, BenchRow> runPeer,
    CancellationToken cancellationToken)
{
    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly BenchPace _pace = new(options.Budget, cancellationToken);
    private int _stepIndex;
    private int _stepCount;

    public BenchReport Execute(
        IReadOnlyList<BenchTarget> targets,
        IReadOnlyList<PeerProgram> peers,
        IProgress<BenchStep>? progress)
    {
        targets = [.. targets.Where(target => IsAvailable(target.Name, target.UnavailableReason))];
        peers = [.. peers.Where(peer => IsAvailable(peer.Name, peer.UnavailableReason))];
        int sizeCount = options.SizesBytes.Count;
        TimeSpan reserved = peers.Count * sizeCount * PeerRunner.ExpectedDuration;
        BenchPlan plan = BenchPlan.Create(targets.Count, sizeCount, options.Budget, reserved);
        _stepCount = ((plan.RoundCount + 1) * targets.Count * sizeCount) + (peers.Count * sizeCount);

        List<Cell> cells = [.. options.SizesBytes.SelectMany(size => targets.Select(row => new Cell(row, size)))];
        int roundCount = RunRounds(cells, ref plan, options.Budget - reserved, progress);
        List<BenchRow> rows = [.. cells
            .Where(cell => cell.Rounds.Count > 0)
            .Select(cell => BenchRow.Of(cell.Target.Name, cell.SizeBytes, cell.Rounds))];
        rows.AddRange(RunPeers(peers, plan.RoundCount, progress));
        if (rows.Count == 0)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw BenchPace.NothingRan(_skipped);
        }
        var report = new BenchReport
        {
            Rounds = roundCount,
            Seconds = _pace.Elapsed.TotalSeconds,
            Rows = [.. rows.OrderBy(row => IndexOfSize(row.SizeBytes))],
            Skipped = _skipped,
            Placement = placement.Note,
            RoundSeconds = plan.RoundDuration.TotalSeconds,
            Threads =
            [
                ThreadReport.At("send", placement.SenderCpu), ThreadReport.At("receive", placement.ReceiverCpu),
            ],
            Flows = 1,
            Demotions = rows.Sum(static row => row.Demotions),
            BufferAskedBytes = options.BufferBytes,
            BufferGrantedBytes = cells.SelectMany(static cell => cell.Rounds)
                .Select(static round => round.BufferGrantedBytes).DefaultIfEmpty().Max(),
        };
        report.SetMemory();
        return report;
    }

    private int RunRounds(List<Cell> cells, ref BenchPlan plan, TimeSpan budget, IProgress<BenchStep>? progress)
    {
        BenchPlan planned = plan;
        TimeSpan duration = plan.WarmUpDuration;
        TimeSpan each = _pace.WarmUp(cells.Count, budget, Run, GiveUp);

        // What a row needs besides sending is known now: on a slow machine it is more than was planned with.
        (int most, duration) = BenchPace.Fit(
            budget - _pace.Elapsed, cells.Count, each - duration, plan.RoundCount, BenchPlan.ShortestRound,
            plan.RoundDuration);
        plan = plan with { RoundDuration = duration };
        int roundCount = _pace.RunRounds(cells.Count, most, budget, Run, GiveUp);
        cells.ForEach(cell => BenchPace.Keep(cell.Rounds, roundCount));
        return roundCount;

        void Run(int index, int round)
        {
            Cell cell = cells[index];
            Report(progress, cell.Target.Name, cell.SizeBytes, round, planned.RoundCount);
            RunCell(cell, round == 0, duration);
        }

        void GiveUp(int index) => Fail(cells[index], BenchPace.NoTimeLeft);
    }

    private void RunCell(Cell cell, bool isWarmUp, TimeSpan duration)
    {
        if (cell.Failed)
        {
            return;
        }
        try
        {
            RoundMeasurement measurement = runRound(cell.Target, cell.SizeBytes, duration);
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
            _skipped.Add(new BenchSkippedRow(
                BenchSkippedRow.NameOf(cell.Target.Name, cell.SizeBytes, options.SizesBytes.Count), reason));
        }
    }

    private List<BenchRow> RunPeers(
        IReadOnlyList<PeerProgram> peers,
        int roundCount,
        IProgress<BenchStep>? progress)
    {
        List<BenchRow> rows = [];
        foreach (PeerProgram peer in peers)
        {
            foreach (int sizeBytes in options.SizesBytes)
            {
                if (cancellationToken.IsCancellationRequested)
                {
                    return rows;
                }
                Report(progress, peer.Name, sizeBytes, roundCount, roundCount);
                try
                {
                    if (_pace.Elapsed + PeerRunner.ExpectedDuration > options.Budget)
                    {
                        throw new BenchException($"No time was left for {peer.Name}; allow more.");
                    }
                    rows.Add(runPeer(peer, sizeBytes));
                }
                catch (BenchException e)
                {
                    // A program that failed once would fail, and take its time, at the other sizes too.
                    _skipped.Add(new BenchSkippedRow(peer.Name, e.Message));
                    break;
                }
            }
        }
        return rows;
    }

    private bool IsAvailable(string name, string? unavailableReason)
    {
        if (unavailableReason is null)
        {
            return true;
        }
        _skipped.Add(new BenchSkippedRow(name, unavailableReason));
        return false;
    }

    private void Report(IProgress<BenchStep>? progress, string name, int sizeBytes, int round, int roundCount) =>
        progress?.Report(new BenchStep(name, sizeBytes, round, roundCount, _stepIndex++, _stepCount));

    private int IndexOfSize(int sizeBytes)
    {
        int index = 0;
        while (index < options.SizesBytes.Count && options.SizesBytes[index] != sizeBytes)
        {
            index++;
        }
        return index;
    }

    private sealed class Cell(BenchTarget target, int sizeBytes)
    {
        public BenchTarget Target { get; } = target;

        public int SizeBytes { get; } = sizeBytes;

        public List<RoundMeasurement> Rounds { get; } = [];

        public bool Failed { get; set; }
    }
}
