using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Throughput.Peers;
using Spate.Cli.Shell;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Throughput;

/// <summary>Runs the rounds of all rows and sizes. Tests replace what runs a round and a program.</summary>
internal sealed class BenchEngine(
    BenchOptions options,
    CpuPlacement placement,
    Func<BenchTarget, int, TimeSpan, RoundMeasurement> runRound,
    Func<PeerProgram, int, BenchRow> runPeer,
    BenchCourse course)
{
    public BenchReport Execute(IReadOnlyList<BenchTarget> targets, IReadOnlyList<PeerProgram> peers)
    {
        targets = [.. targets.Where(target => course.Skipped.IsAvailable(target.Name, target.UnavailableReason))];
        peers = [.. peers.Where(peer => course.Skipped.IsAvailable(peer.Name, peer.UnavailableReason))];
        int sizeCount = options.SizesBytes.Count;
        TimeSpan reserved = peers.Count * sizeCount * PeerRunner.ExpectedDuration;
        BenchPlan plan = BenchPlan.Create(targets.Count, sizeCount, options.Budget, reserved);
        Cell[] cells =
            [.. options.SizesBytes.SelectMany(size => targets.Select(row => new Cell(row, size, sizeCount)))];
        BenchSteps steps = course.Steps(plan.RoundCount, cells.Length, otherCount: peers.Count * sizeCount);
        int roundCount = RunRounds(cells, ref plan, options.Budget - reserved, steps);
        List<BenchRow> rows = [.. cells
            .Where(static cell => cell.IsMeasured)
            .Select(static cell => BenchRow.Of(cell.Name, cell.SizeBytes, cell.Rounds))];
        rows.AddRange(RunPeers(peers, plan.RoundCount, steps));
        if (rows.Count == 0) course.CancellationToken.ThrowIfCancellationRequested();

        var report = new BenchReport
        {
            Rounds = roundCount,
            Seconds = course.Budget.Elapsed.TotalSeconds,
            Rows = course.RequireRows(options.SizesBytes.SelectMany(size => rows.Where(row => row.SizeBytes == size))),
            Placement = placement.Note,
            RoundSeconds = plan.RoundDuration.TotalSeconds,
            Threads =
            [
                ThreadReport.At("send", placement.SenderCpu), ThreadReport.At("receive", placement.ReceiverCpu),
            ],
            Flows = 1,
            GsoFallbacks = rows.Sum(static row => row.GsoFallbacks),
            BufferAskedBytes = options.BufferBytes,
            BufferGrantedBytes = cells.SelectMany(static cell => cell.Rounds)
                .Select(static round => round.BufferGrantedBytes).DefaultIfEmpty().Max(),
        };
        return course.Finish(report, cells, ThreadsOf);
    }

    private int RunRounds(Cell[] cells, ref BenchPlan plan, TimeSpan until, BenchSteps steps)
    {
        var runner = new RoundRunner<Cell, RoundMeasurement>(cells, course, steps);
        TimeSpan duration = plan.WarmUpDuration;
        TimeSpan each = runner.WarmUp(until, cell => Measure(cell));

        // The warm-up showed what a row takes besides sending. On a slow machine that is more than the plan assumed.
        (int maxRounds, duration) = BenchBudget.Fit(
            until - course.Budget.Elapsed, cells.Length, each - duration, plan.RoundCount, BenchPlan.MinRound,
            plan.RoundDuration);
        plan = plan with { RoundDuration = duration };
        return runner.Run(maxRounds, until, Measure);

        RoundMeasurement Measure(Cell cell) => runRound(cell.Target, cell.SizeBytes, duration);
    }

    private ThreadReport[] ThreadsOf(BenchCell<RoundMeasurement> cell)
    {
        ThreadReport send = ThreadReport.At("send", placement.SenderCpu);
        ThreadReport receive = ThreadReport.At("receive", placement.ReceiverCpu);
        send.SetUse(cell.Rounds.Select(static round => round.SenderUse).Aggregate(static (sum, one) => sum + one));
        if (cell.Rounds.TrueForAll(static round => round.ReceiverUse is not null))
        {
            receive.SetUse(
                cell.Rounds.Select(static round => round.ReceiverUse!.Value).Aggregate(static (sum, one) => sum + one));
        }

        return [send, receive];
    }

    private List<BenchRow> RunPeers(IReadOnlyList<PeerProgram> peers, int roundCount, BenchSteps steps)
    {
        List<BenchRow> rows = [];
        foreach (PeerProgram peer in peers)
        {
            foreach (int sizeBytes in options.SizesBytes)
            {
                if (course.CancellationToken.IsCancellationRequested) return rows;
                steps.Report(peer.Name, sizeBytes, roundCount);
                try
                {
                    if (course.Budget.Elapsed + PeerRunner.ExpectedDuration > options.Budget)
                    {
                        throw new BenchException($"No time was left for {peer.Name}; allow more.");
                    }
                    rows.Add(runPeer(peer, sizeBytes));
                }
                catch (BenchException e)
                {
                    // A program that failed at one size would fail at the others too, and use up their time.
                    course.Skipped.Add(peer.Name, e.Message);
                    break;
                }
            }
        }
        return rows;
    }

    private sealed class Cell(BenchTarget target, int sizeBytes, int sizeCount) : BenchCell<RoundMeasurement>(
        target.Name, sizeBytes, BenchSkippedRow.NameOf(target.Name, sizeBytes, sizeCount))
    {
        public BenchTarget Target { get; } = target;
    }
}
